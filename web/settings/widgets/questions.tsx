import Plus from 'lucide-solid/icons/plus'
import X from 'lucide-solid/icons/x'
import { createEffect, Index } from 'solid-js'
import { CardForm } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Section } from '../page.tsx'
import { createWidgetForm, type Widget } from './widget-data.ts'

type Questions = Widget['questions']
type Field = Questions['fields'][number]

const MODES = [
  { value: 'off', label: "Don't ask" },
  { value: 'optional', label: 'Optional' },
  { value: 'required', label: 'Required' },
] as const
const MAX_KEY_LENGTH = 40

/** What visitors are asked before their first message. `onTyped` gets each change before it is saved. */
export function Questions(props: { widget: Widget; onTyped: (questions: Questions) => void }) {
  const form = createWidgetForm<Questions>({
    what: 'the questions',
    widget: () => props.widget,
    valuesOf: ({ questions }) => ({ ...questions, fields: questions.fields.map((field) => ({ ...field })) }),
    changeOf: (questions) => ({ questions: { ...questions, fields: withKeys(questions.fields) } }),
    at: 'questions',
  })
  createEffect(() => props.onTyped({ ...form.values, fields: withKeys(form.values.fields) }))
  const fields = () => form.values.fields
  const set = (index: number, change: Partial<Field>) =>
    form.set({ fields: fields().map((field, at) => (at === index ? { ...field, ...change } : field)) })
  const remove = (index: number) => form.set({ fields: fields().filter((_, at) => at !== index) })
  const add = () => form.set({ fields: [...fields(), { key: '', label: '', isRequired: false }] })
  return (
    <Section
      title="Questions before the first message"
      text="Each question turns some visitors away. Users signed in by your website aren't asked for their name and email."
    >
      <CardForm
        form={form}
        action="Save questions"
        beside={
          <Button icon={<Plus />} onClick={add}>
            Add field
          </Button>
        }
      >
        <div class="form-columns">
          <Select {...form.choice('name')} label="Name" options={MODES} />
          <Select {...form.choice('email')} label="Email" options={MODES} />
        </div>
        <Index each={fields()}>
          {(field, index) => {
            const error = form.errorAt(`fields/${index}/label`)
            return (
              <div class="questions-field">
                <TextField
                  label={`Field ${index + 1}`}
                  placeholder="Order number"
                  value={field().label}
                  onInput={(label) => set(index, { label })}
                  error={error()}
                  required
                />
                <Checkbox
                  label="Required"
                  isChecked={field().isRequired}
                  onChange={(isRequired) => set(index, { isRequired })}
                />
                <IconButton
                  name={`Remove ${field().label || `field ${index + 1}`}`}
                  onClick={() => remove(index)}
                >
                  <X />
                </IconButton>
              </div>
            )
          }}
        </Index>
      </CardForm>
    </Section>
  )
}

/** A new field gets a key from its label, and keeps it when the label changes: answers are stored by it. */
function withKeys(fields: readonly Field[]): Field[] {
  const taken = new Set(fields.map(({ key }) => key))
  return fields.map((field) => {
    if (field.key !== '') return { ...field }
    const base = keyOf(field.label)
    let key = base
    for (let count = 2; taken.has(key); count += 1) key = `${base.slice(0, MAX_KEY_LENGTH - 3)}_${count}`
    taken.add(key)
    return { ...field, key }
  })
}

function keyOf(label: string): string {
  const words = label
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
  return (
    words
      .replace(/^[^a-z]+/, '')
      .slice(0, MAX_KEY_LENGTH)
      .replace(/_+$/, '') || 'field'
  )
}
