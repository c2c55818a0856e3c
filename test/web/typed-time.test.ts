import { expect, test } from 'bun:test'
import { typedTime } from '../../web/ticket/times/typed-time.ts'

/** A Thursday. */
const NOW = new Date(2026, 10, 26, 14, 20)

function read(text: string, now = NOW): string | undefined {
  const time = typedTime(text, now)
  if (!time) return undefined
  const part = (number: number) => String(number).padStart(2, '0')
  const date = `${time.getFullYear()}-${part(time.getMonth() + 1)}-${part(time.getDate())}`
  return `${date} ${part(time.getHours())}:${part(time.getMinutes())}`
}

const READ: [text: string, time: string][] = [
  ['2h', '2026-11-26 16:20'],
  ['In 2 hours', '2026-11-26 16:20'],
  ['an hour', '2026-11-26 15:20'],
  ['45 min', '2026-11-26 15:05'],
  ['3 days', '2026-11-29 14:20'],
  ['a week', '2026-12-03 14:20'],
  ['2w', '2026-12-10 14:20'],
  ['3 months', '2027-02-26 14:20'],
  ['tomorrow', '2026-11-27 09:00'],
  ['Tomorrow 9:00', '2026-11-27 09:00'],
  ['tomorrow at 5pm', '2026-11-27 17:00'],
  ['today 17', '2026-11-26 17:00'],
  ['fri 10', '2026-11-27 10:00'],
  ['Fri, 10:30', '2026-11-27 10:30'],
  ['Monday 9:00', '2026-11-30 09:00'],
  ['next monday', '2026-11-30 09:00'],
  ['thu 15', '2026-11-26 15:00'],
  ['next thu 15', '2026-12-03 15:00'],
  ['thu 9', '2026-12-03 09:00'],
  ['thursday', '2026-12-03 09:00'],
  ['18', '2026-11-26 18:00'],
  ['8:15', '2026-11-27 08:15'],
  ['12 am', '2026-11-27 00:00'],
  ['noon', '2026-11-27 12:00'],
  ['3 dec', '2026-12-03 09:00'],
  ['Dec 3 10am', '2026-12-03 10:00'],
  ['dec 3, 14:30', '2026-12-03 14:30'],
  ['3 December 2027', '2027-12-03 09:00'],
  ['26 nov 9', '2027-11-26 09:00'],
  ['2026-12-03 14:00', '2026-12-03 14:00'],
]

for (const [text, time] of READ) {
  test(`“${text}” is understood`, () => expect(read(text)).toBe(time))
}

test('what is no time, or past, is not understood', () => {
  for (const text of [
    '',
    'soon',
    'fri fri',
    '25:00',
    '13pm',
    '31 jun',
    't',
    'm 9',
    '2026-11-01',
    'today 9',
    '0h',
  ]) {
    expect([text, read(text)]).toEqual([text, undefined])
  }
})

test('the last day of a month is followed by the last day of a shorter one', () => {
  expect(read('1 month', new Date(2027, 0, 31, 8))).toBe('2027-02-28 08:00')
})
