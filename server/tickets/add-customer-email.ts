import { addEmail, findCustomer } from '../customers/customers.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { isId } from '../ids.ts'
import { requireOutside } from './change-customer.ts'

/**
 * Adds the address that a customer gave an agent, so that they can be emailed too. Works only for a customer without an
 * address: addresses from mails and the API stay. Throws 404, 400 for an address that can't be a customer's, and 409
 * when the customer has an address, or another customer has this one.
 */
export async function addCustomerEmail(
  deps: Deps,
  orgId: string,
  { id, email }: { id: string; email: string },
): Promise<void> {
  if (!isId('usr', id)) throw notFound('customer')
  await deps.database.write(async (tx) => {
    await requireOutside(deps, tx, orgId, email)
    const customer = await findCustomer(tx, orgId, id)
    if (!customer) throw notFound('customer')
    if (customer.email !== null) throw hasEmail(customer.name, customer.email)
    if (!(await addEmail(deps, tx, orgId, { id, email }))) throw emailTaken(email)
    await recordWorkspaceChange(deps, tx, orgId)
  })
}

function emailTaken(email: string): AppError {
  return new AppError(
    409,
    'email_taken',
    `Another customer has the address ${email}. Search for it to find them.`,
  )
}

function hasEmail(name: string, email: string): AppError {
  return new AppError(409, 'customer_has_email', `${name} already has the address ${email}.`)
}
