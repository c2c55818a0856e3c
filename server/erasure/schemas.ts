import { t } from 'elysia'

export const byId = t.Object({ id: t.String({ maxLength: 64 }) })
export const erasedCustomer = t.Object({ deletedTickets: t.Integer() })
