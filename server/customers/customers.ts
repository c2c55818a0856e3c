import { and, eq, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import type { Deps } from '../deps.ts'

export interface Customer {
  id: string
  name: string
  email: string | null
  version: number
}

/**
 * The organization's customer with this address, made when there is none. Addresses are compared without regard to
 * case; a name that differs replaces the known one, and all their tickets are soon found by it. Without a name a new
 * customer gets the part before the `@`.
 */
export async function upsertCustomer(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  given: { name: string | undefined; email: string },
): Promise<Customer> {
  const { email } = given
  const [customer] = await upsert(tx, {
    id: deps.newId('usr'),
    orgId,
    name: given.name ?? email.slice(0, email.lastIndexOf('@')),
    givenName: given.name ?? null,
    email,
    emailKey: email.toLowerCase(),
    now: deps.clock.now(),
  })
  if (!customer) throw new Error('The customer was neither found nor made.')
  return customer
}

/** A customer of a ticket that is being changed. */
export async function customerOf(tx: Transaction, orgId: string, id: string): Promise<Customer> {
  const [customer] = await customerById(tx, { orgId, id })
  if (!customer) throw new Error(`The customer ${id} is missing.`)
  return customer
}

const columns = {
  id: customers.id,
  name: customers.name,
  email: customers.email,
  version: customers.version,
}

const upsert = statement<
  {
    id: string
    orgId: string
    name: string
    givenName: string | null
    email: string
    emailKey: string
    now: number
  },
  Customer[]
>('customers_upsert', (tx, p) => {
  const name = sql`coalesce(${p.givenName}, ${customers.name})`
  return tx
    .insert(customers)
    .values({
      id: p.id,
      orgId: p.orgId,
      name: p.name,
      email: p.email,
      emailKey: p.emailKey,
      createdAt: p.now,
      updatedAt: p.now,
    })
    .onConflictDoUpdate({
      target: [customers.orgId, customers.emailKey],
      set: {
        name,
        version: sql`${customers.version} + case when ${name} = ${customers.name} then 0 else 1 end`,
        updatedAt: sql`case when ${name} = ${customers.name} then ${customers.updatedAt} else excluded.updated_at end`,
        reindexAfter: sql`case when ${name} = ${customers.name} then ${customers.reindexAfter} else '' end`,
      },
    })
    .returning(columns)
})

const customerById = statement<{ orgId: string; id: string }, Customer[]>('customers_by_id', (tx, p) =>
  tx
    .select(columns)
    .from(customers)
    .where(and(eq(customers.orgId, p.orgId), eq(customers.id, p.id))),
)
