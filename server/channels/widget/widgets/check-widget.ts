import type { WidgetAppearance, WidgetHours, WidgetQuestions } from '../../../database/tables/widgets.ts'
import { type Fault, invalid } from '../../../errors.ts'
import { MAX_NAME_LENGTH } from '../../../organizations/organizations.ts'
import { isBlank, lengthOf } from '../../../text/text.ts'
import { readOrigins } from '../origins.ts'

export const MAX_TITLE_LENGTH = 80
/** Limit for the greeting, and for the text outside the opening hours. */
const MAX_TEXT_LENGTH = 500
const MAX_FIELDS = 10
const MAX_LABEL_LENGTH = 80
const FIELD_KEY = /^[a-z][a-z0-9_]{0,39}$/
const COLOR = /^#[0-9a-f]{6}$/
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
/** A day can end at midnight. */
const MIDNIGHT = '24:00'
const CONTROL = /\p{Cc}/u
const CONTROL_BUT_LINE_BREAK = /[^\P{Cc}\n]/u

/** Everything that an administrator can change. */
export interface WidgetInput {
  name: string
  origins: string[]
  appearance: WidgetAppearance
  questions: WidgetQuestions
  hours: WidgetHours | null
  verifiedOnly: boolean
  telegramBotId: string
}

/** Returns the input in the form in which it is stored. Throws 400 with every fault. */
export async function checkWidget(input: WidgetInput): Promise<WidgetInput> {
  const { origins, faults } = await readOrigins(input.origins)
  const checked: WidgetInput = {
    ...input,
    name: input.name.trim(),
    origins,
    appearance: {
      ...input.appearance,
      title: input.appearance.title.trim(),
      greeting: withoutReturns(input.appearance.greeting),
      color: input.appearance.color.trim().toLowerCase(),
    },
    questions: {
      ...input.questions,
      fields: input.questions.fields.map(({ key, label, isRequired }) => ({
        key: key.trim(),
        label: label.trim(),
        isRequired,
      })),
    },
    hours: input.hours && { ...input.hours, awayText: withoutReturns(input.hours.awayText) },
  }
  const all = [
    ...nameFaults(checked.name),
    ...faults,
    ...appearanceFaults(checked.appearance),
    ...fieldFaults(checked.questions),
    ...(checked.hours ? hoursFaults(checked.hours) : []),
  ]
  if (all.length > 0) throw invalid(all)
  return checked
}

function nameFaults(name: string): Fault[] {
  if (!isBlank(name) && name.length <= MAX_NAME_LENGTH && !CONTROL.test(name)) return []
  const detail = `Must be 1 to ${MAX_NAME_LENGTH} characters in one line.`
  return [{ pointer: '/name', code: 'invalid_name', detail }]
}

function appearanceFaults({ title, greeting, color }: WidgetAppearance): Fault[] {
  const faults: Fault[] = []
  if (isBlank(title) || lengthOf(title) > MAX_TITLE_LENGTH || CONTROL.test(title)) {
    const detail = `Must be 1 to ${MAX_TITLE_LENGTH} characters in one line.`
    faults.push({ pointer: '/appearance/title', code: 'invalid_title', detail })
  }
  if (!COLOR.test(color)) {
    const detail = 'Must be a color such as #2563eb: # and six hexadecimal digits.'
    faults.push({ pointer: '/appearance/color', code: 'invalid_color', detail })
  }
  return [...faults, ...textFaults('/appearance/greeting', greeting)]
}

function textFaults(pointer: string, text: string): Fault[] {
  if (lengthOf(text) > MAX_TEXT_LENGTH) {
    return [{ pointer, code: 'too_long', detail: `Must be at most ${MAX_TEXT_LENGTH} characters.` }]
  }
  if (!CONTROL_BUT_LINE_BREAK.test(text)) return []
  return [{ pointer, code: 'invalid_text', detail: 'Must not contain control characters.' }]
}

function fieldFaults({ fields }: WidgetQuestions): Fault[] {
  const pointer = '/questions/fields'
  if (fields.length > MAX_FIELDS) {
    const detail = `Must be at most ${MAX_FIELDS} fields of your own: visitors abandon long forms.`
    return [{ pointer, code: 'too_many', detail }]
  }
  return fields.flatMap(({ key, label }, index) => {
    const faults: Fault[] = []
    if (!FIELD_KEY.test(key)) {
      const detail = 'Must be 1 to 40 lowercase letters, digits and underscores, and start with a letter.'
      faults.push({ pointer: `${pointer}/${index}/key`, code: 'invalid_key', detail })
    } else if (fields.findIndex((other) => other.key === key) !== index) {
      const detail = `Another field has the key "${key}".`
      faults.push({ pointer: `${pointer}/${index}/key`, code: 'key_taken', detail })
    }
    if (isBlank(label) || lengthOf(label) > MAX_LABEL_LENGTH || CONTROL.test(label)) {
      const detail = `Must be 1 to ${MAX_LABEL_LENGTH} characters in one line.`
      faults.push({ pointer: `${pointer}/${index}/label`, code: 'invalid_label', detail })
    }
    return faults
  })
}

function hoursFaults({ timeZone, days, awayText }: WidgetHours): Fault[] {
  const faults = textFaults('/hours/awayText', awayText)
  if (!isTimeZone(timeZone)) {
    const detail = 'Must be the name of a time zone, such as Europe/Berlin.'
    faults.push({ pointer: '/hours/timeZone', code: 'unknown_time_zone', detail })
  }
  if (days.length !== DAYS.length || days.every((day) => day === null)) {
    const detail = 'Must list seven days starting on Monday, with at least one of them open.'
    faults.push({ pointer: '/hours/days', code: 'invalid_hours', detail })
    return faults
  }
  for (const [index, day] of days.entries()) {
    if (day && !(isTime(day.from) && (isTime(day.to) || day.to === MIDNIGHT) && day.from < day.to)) {
      const detail = `${DAYS[index]} must open before it closes, with times such as 09:00 and 17:30.`
      faults.push({ pointer: `/hours/days/${index}`, code: 'invalid_hours', detail })
    }
  }
  return faults
}

function isTime(value: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value)
}

/** Offsets such as `+02:00` know no daylight saving time. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

function withoutReturns(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim()
}
