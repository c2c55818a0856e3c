import { t } from 'elysia'

export const erasedCustomer = t.Object({ deletedTickets: t.Integer() })
