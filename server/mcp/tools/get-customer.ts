import { type Static, Type } from '@sinclair/typebox'
import { hasScope } from '../../api-keys/require-api-key.ts'
import { ownerOf } from '../../customers/customers.ts'
import { findByExternalId, readShownCustomers, survivorOf } from '../../customers/shown-customers.ts'
import { isoTime } from '../../dates.ts'
import { invalid, notFound } from '../../errors.ts'
import { isId } from '../../ids.ts'
import { listTickets } from '../../tickets/list-tickets.ts'
import { ticketFields, time, untrustedMetadata, untrustedText } from '../schemas.ts'
import { defineTool, type ToolCall } from '../tool.ts'
import { viewMetadata, viewTicket } from '../views.ts'

const SHOWN_TICKETS = 10
const SHOWN_EMAILS = 10

const input = Type.Object(
  {
    id: Type.Optional(Type.String({ maxLength: 64, description: 'Id of a customer, such as usr_….' })),
    address: Type.Optional(
      Type.String({ minLength: 1, maxLength: 320, description: 'Any email address of theirs.' }),
    ),
    externalId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_020, description: 'Their id in another system.' }),
    ),
  },
  { additionalProperties: false },
)

const { customer: _, ...ofCustomer } = ticketFields

const output = Type.Object(
  {
    id: Type.String({ description: 'Another one than was asked for, if the customer was merged.' }),
    untrustedName: untrustedText(),
    untrustedEmails: Type.Array(untrustedText(), {
      description: `The main address comes first. At most ${SHOWN_EMAILS}.`,
    }),
    untrustedTypedEmail: Type.Optional(
      untrustedText('A visitor of a website typed it. Don’t identify anyone by it.'),
    ),
    untrustedCompany: Type.Optional(untrustedText()),
    untrustedPhone: Type.Optional(untrustedText()),
    untrustedNote: Type.Optional(untrustedText('What agents should know of them.')),
    externalId: Type.Optional(Type.String()),
    untrustedMetadata: Type.Optional(untrustedMetadata),
    createdAt: time(),
    updatedAt: time(),
    tickets: Type.Optional(
      Type.Array(Type.Object(ofCustomer, { additionalProperties: false }), {
        description: `The last ${SHOWN_TICKETS}, the newest first. Absent without the scope tickets:read.`,
      }),
    ),
  },
  { additionalProperties: false },
)

export const getCustomer = defineTool({
  name: 'get_customer',
  title: 'Get a customer',
  description:
    'Returns what is known of a customer, and their last tickets. Pass one of id, address, and externalId.',
  scope: 'customers:read',
  input,
  output,
  effect: 'reads',
  async run({ deps, caller }, args) {
    const { orgId } = caller
    const id = await customerIdFor({ deps, caller }, args)
    const [customer] = id === undefined ? [] : await readShownCustomers(deps.database.read, orgId, [id])
    if (!customer) throw notFound('customer')
    const { emails, unverifiedEmail, company, phone, note, externalId, metadata } = customer
    return {
      data: {
        id: customer.id,
        untrustedName: customer.name,
        untrustedEmails: emails.slice(0, SHOWN_EMAILS),
        ...(unverifiedEmail !== null && { untrustedTypedEmail: unverifiedEmail }),
        ...(company !== '' && { untrustedCompany: company }),
        ...(phone !== '' && { untrustedPhone: phone }),
        ...(note !== '' && { untrustedNote: note }),
        ...(externalId !== null && { externalId }),
        ...viewMetadata(metadata),
        createdAt: isoTime(customer.createdAt),
        updatedAt: isoTime(customer.updatedAt),
        ...(hasScope(caller, 'tickets:read') && {
          tickets: await lastTickets({ deps, caller }, customer.id),
        }),
      },
    }
  },
})

/** Undefined if there is none. Throws 400 unless one way to name a customer is used. */
async function customerIdFor(
  { deps, caller: { orgId } }: Pick<ToolCall, 'deps' | 'caller'>,
  { id, address, externalId }: Static<typeof input>,
): Promise<string | undefined> {
  const { read } = deps.database
  if ([id, address, externalId].filter((way) => way !== undefined).length !== 1) {
    const detail = 'Pass exactly one of id, address, and externalId.'
    throw invalid([{ pointer: '', code: 'not_allowed', detail }])
  }
  if (id !== undefined) return isId('usr', id) ? survivorOf(read, orgId, id) : undefined
  if (address !== undefined) return (await ownerOf(read, orgId, address))?.id
  return findByExternalId(read, orgId, externalId ?? '')
}

async function lastTickets({ deps, caller }: Pick<ToolCall, 'deps' | 'caller'>, customerId: string) {
  const wanted = { filters: { customerId }, sort: 'created_desc' as const, perPage: SHOWN_TICKETS, page: 1 }
  const { tickets } = await listTickets(deps, caller.orgId, wanted)
  return tickets.map((ticket) => {
    const { customer: _, ...shown } = viewTicket(ticket)
    return shown
  })
}
