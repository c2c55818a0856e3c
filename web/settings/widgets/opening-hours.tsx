import { Index, Show } from 'solid-js'
import { CardForm } from '../../forms/form.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { Section } from '../page.tsx'
import { createWidgetForm, type Widget } from './widget-data.ts'

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const WORKDAYS = 5
/** The end of a day. A time field has no 24:00, so it is entered as 00:00. */
const MIDNIGHT = '24:00'
const ZONES = Intl.supportedValuesOf('timeZone')

interface Day {
  isOpen: boolean
  from: string
  to: string
}

type Hours = { hasHours: boolean; timeZone: string; days: Day[]; awayText: string }

/** When the team answers, and what visitors read at other times. */
export function OpeningHours(props: { widget: Widget }) {
  const form = createWidgetForm<Hours>({
    what: 'the opening hours',
    widget: () => props.widget,
    valuesOf: ({ hours }) => valuesOf(hours),
    changeOf: (values) => ({ hours: values.hasHours ? hoursOf(values) : null }),
    at: 'hours',
  })
  const set = (index: number, change: Partial<Day>) =>
    form.set({ days: form.values.days.map((day, at) => (at === index ? { ...day, ...change } : day)) })
  const dayErrors = DAYS.map((_, day) => form.errorAt(`days/${day}`))
  const daysError = form.errorAt('days')
  return (
    <Section title="Opening hours" text="Outside them, visitors can still write, and see when you're back.">
      <CardForm form={form} action="Save opening hours">
        <Checkbox
          {...form.check('hasHours')}
          label="Show opening hours"
          hint="Otherwise the widget never says that you're away."
        />
        <Show when={form.values.hasHours}>
          <TextField
            {...form.text('timeZone')}
            label="Time zone"
            list="opening-hours-zones"
            autocomplete="off"
            required
          />
          <datalist id="opening-hours-zones">
            <Index each={ZONES}>{(zone) => <option value={zone()} />}</Index>
          </datalist>
          <fieldset class="stack-tight">
            <legend class="unseen">Days</legend>
            <Index each={form.values.days}>
              {(day, index) => (
                <div class="opening-hours-day">
                  <Checkbox
                    label={DAYS[index]}
                    isChecked={day().isOpen}
                    onChange={(isOpen) => set(index, { isOpen })}
                  />
                  <Show when={day().isOpen} fallback={<span class="muted">Closed</span>}>
                    <TimeInput
                      name={`${DAYS[index]} from`}
                      value={day().from}
                      onInput={(from) => set(index, { from })}
                    />
                    <span class="muted">to</span>
                    <TimeInput
                      name={`${DAYS[index]} to`}
                      value={day().to}
                      onInput={(to) => set(index, { to })}
                    />
                  </Show>
                  <Show when={dayErrors[index]?.()}>{(error) => <ErrorText>{error()}</ErrorText>}</Show>
                </div>
              )}
            </Index>
            <Show when={!dayErrors.some((error) => error()) && daysError()}>
              {(error) => <ErrorText>{error()}</ErrorText>}
            </Show>
          </fieldset>
          <TextArea
            {...form.text('awayText')}
            label="Text outside the hours"
            hint="Leave empty for a standard sentence in the visitor's language."
            rows={2}
          />
        </Show>
      </CardForm>
    </Section>
  )
}

function TimeInput(props: { name: string; value: string; onInput: (time: string) => void }) {
  return (
    <input
      type="time"
      class="field-input opening-hours-time"
      aria-label={props.name}
      value={props.value}
      onInput={(event) => props.onInput(event.currentTarget.value)}
    />
  )
}

function valuesOf(hours: Widget['hours']): Hours {
  if (!hours) {
    return {
      hasHours: false,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      days: DAYS.map((_, day) => ({ isOpen: day < WORKDAYS, from: '09:00', to: '17:00' })),
      awayText: '',
    }
  }
  const { timeZone, days, awayText } = hours
  return {
    hasHours: true,
    timeZone,
    days: days.map((day) =>
      day
        ? { isOpen: true, from: day.from, to: day.to === MIDNIGHT ? '00:00' : day.to }
        : { isOpen: false, from: '09:00', to: '17:00' },
    ),
    awayText,
  }
}

function hoursOf({ timeZone, days, awayText }: Hours): NonNullable<Widget['hours']> {
  return {
    timeZone: timeZone.trim(),
    days: days.map(({ isOpen, from, to }) => (isOpen ? { from, to: to === '00:00' ? MIDNIGHT : to } : null)),
    awayText,
  }
}
