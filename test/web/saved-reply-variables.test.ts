import { expect, test } from 'bun:test'
import { plainText } from '../../server/formatting/plain-text.ts'
import { fillIn } from '../../web/ticket/composer/variables.ts'

const SESSION = { agent: { name: 'Ana Pires' }, organization: { name: 'Parcelbird' } }

function filledFor(customer: { name: string; email?: string }, text: string): string {
  return fillIn(text, { id: 'tkt_1', subject: 'Late parcel', customer }, SESSION)
}

const NAMED = { name: 'Petra Novotná', email: 'petra@example.com' }
/** Without a name, the server uses the part of the email address before the @. */
const NAMELESS = { name: 'petra', email: 'petra@example.com' }

test('variables are filled in from the ticket, the agent and the organization', () => {
  const text = 'Hi {{customer.firstName}}, re “{{ticket.subject}}”: {{agent.name}}, {{organization.name}}'
  expect(filledFor(NAMED, text)).toBe('Hi Petra, re “Late parcel”: Ana Pires, Parcelbird')
})

test('a default is used only for an empty value', () => {
  expect(filledFor(NAMED, 'Hi {{customer.firstName|friend}}')).toBe('Hi Petra')
  expect(filledFor(NAMELESS, 'Hi {{customer.firstName|friend}}')).toBe('Hi friend')
  expect(filledFor({ name: 'Petra' }, '{{customer.email|no email}}')).toBe('no email')
})

test('a customer without a name is greeted with “there”', () => {
  expect(filledFor(NAMELESS, 'Hi {{customer.firstName|there}}')).toBe('Hi there')
  expect(filledFor(NAMELESS, 'Hi {{customer.firstName}}')).toBe('Hi there')
  expect(filledFor({ name: 'Visitor 4821' }, 'Hi {{customer.firstName}},')).toBe('Hi there,')
})

test('an unknown variable stays in the text', () => {
  expect(filledFor(NAMED, 'Hi {{customer.nickname|there}}')).toBe('Hi {{customer.nickname|there}}')
})

test('a name or subject brings no formatting of its own', () => {
  const customer = { name: '**Petra** [x](https://evil.test)', email: 'petra_n@example.com' }
  const text = fillIn(
    'Hi **{{customer.name}}** ({{customer.email}}), {{ticket.subject}}',
    ticketOf(customer),
    SESSION,
  )
  expect(plainText(text)).toBe('Hi **Petra** [x](https://evil.test) (petra_n@example.com), Late *parcel*')
  expect(filledFor({ name: 'Ana_Pires & Co.' }, '{{customer.name}}')).toBe('Ana_Pires & Co.')
})

function ticketOf(customer: { name: string; email: string }) {
  return { id: 'tkt_1', subject: 'Late *parcel*', customer }
}
