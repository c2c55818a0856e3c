import { useMutation } from '@tanstack/solid-query'
import { Show } from 'solid-js'
import { fieldError } from '../../api/api-problem.ts'
import { CardForm } from '../../forms/form.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Select } from '../../ui/select.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { AssigneeSelect } from '../assignee-select.tsx'
import { createFormState } from '../form-state.ts'
import { Section } from '../page-layout.tsx'
import { type Bot, type BotChange, saveBot, showBot } from './bot-data.ts'

const FIELDS = ['name', 'greeting', 'newTicketAfterDays', 'defaultAssignee'] as const
const DEFAULT_DAYS = '7'
const RULES = [
  { value: 'reopen', label: "Follow the organization's reopen setting" },
  { value: 'days', label: 'Open a new ticket after a number of days' },
] as const

/** The fields of the form. Days are text, as they are typed. */
interface Values extends Record<string, unknown> {
  name: string
  greeting: string
  rule: 'reopen' | 'days'
  days: string
  showsTyping: boolean
  defaultAssignee: string
}

/** The name, the greeting, and what happens to messages. */
export function BotSettings(props: { bot: Bot }) {
  const form = createFormState<Values>('the bot', () => valuesOf(props.bot))
  const save = useMutation(() => ({
    mutationFn: () => form.save((values) => saveBot(props.bot.id, changeOf(values))),
    onSuccess: (bot: Bot) => {
      showBot(bot)
      toast('Saved.')
    },
  }))
  return (
    <Section title="Conversations">
      <CardForm save={save} fields={FIELDS} action="Save" isUnchanged={!form.isChanged()}>
        <TextField
          label="Name"
          hint="Only your team sees it. Customers see the name you gave @BotFather."
          value={form.values.name}
          onInput={(name) => form.setValues({ name })}
          error={fieldError(save.error, 'name')}
          required
        />
        <TextArea
          label="Greeting"
          hint="Sent when someone starts the bot. Leave empty for a short greeting with your organization's name."
          rows={3}
          value={form.values.greeting}
          onInput={(greeting) => form.setValues({ greeting })}
          error={fieldError(save.error, 'greeting')}
        />
        <Select
          label="When a customer writes after their ticket was resolved"
          options={RULES}
          value={form.values.rule}
          onChange={(rule) => form.setValues({ rule })}
        />
        <Show when={form.values.rule === 'days'}>
          <TextField
            label="Days"
            hint="Later messages open a new ticket. Earlier ones reopen the resolved ticket."
            type="number"
            inputmode="numeric"
            min={0}
            max={365}
            value={form.values.days}
            onInput={(days) => form.setValues({ days })}
            error={fieldError(save.error, 'newTicketAfterDays')}
            required
          />
        </Show>
        <AssigneeSelect
          value={form.values.defaultAssignee}
          onChange={(defaultAssignee) => form.setValues({ defaultAssignee })}
          error={fieldError(save.error, 'defaultAssignee')}
        />
        <Checkbox
          label="Show “typing…” in the chat while an agent writes"
          isChecked={form.values.showsTyping}
          onChange={(showsTyping) => form.setValues({ showsTyping })}
        />
      </CardForm>
    </Section>
  )
}

function valuesOf({ name, greeting, newTicketAfterDays, showsTyping, defaultAssignee }: Bot): Values {
  return {
    name,
    greeting,
    rule: newTicketAfterDays === null ? 'reopen' : 'days',
    days: newTicketAfterDays === null ? DEFAULT_DAYS : String(newTicketAfterDays),
    showsTyping,
    defaultAssignee: defaultAssignee ?? '',
  }
}

function changeOf({ name, greeting, rule, days, showsTyping, defaultAssignee }: Values): BotChange {
  return {
    name,
    greeting,
    newTicketAfterDays: rule === 'reopen' ? null : Number(days),
    showsTyping,
    defaultAssignee: defaultAssignee === '' ? null : defaultAssignee,
  }
}
