import { isDeepStrictEqual } from 'node:util'
import { and, asc, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { recordAudit } from '../../audit/audit.ts'
import type { AlsoSave, Reader, Transaction } from '../../database/database.ts'
import { saveDeferred } from '../../database/deferred-writes.ts'
import { matches } from '../../database/matches.ts'
import { type Preparable, statement, text } from '../../database/statement.ts'
import type { AuditAction } from '../../database/tables/audit.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import { recordWorkspaceChange } from '../../events/events.ts'
import { type IdPrefix, isId } from '../../ids.ts'

/** A row that administrators connect, change, and remove: a mailbox, a bot, a widget, or a webhook endpoint. */
export interface AccountRow {
  id: string
  orgId: string
  createdAt: number
  updatedAt: number
  deletedAt: number | null
}

/** As sentences name an account, and the audit log: `mailbox.paused`. */
type AccountNoun = 'mailbox' | 'bot' | 'widget' | 'endpoint'

/** What sets the accounts of one table apart from those of others. */
interface AccountKind<Row extends AccountRow, Noun extends AccountNoun> {
  noun: Noun
  prefix: IdPrefix
  table: AccountTable
  select(read: Reader, where: SQL | undefined): Selected<Row>
  update(tx: Transaction, set: Partial<Row> | Unchanged, where: SQL | undefined): Rows<Row>
  /** As the audit log names it. */
  labelOf(row: Row): string
  /** Names of the settings in which two rows differ, for the audit log. */
  changedFields?(change: { before: Row; after: Row }): string[]
  /** Called after a change was committed. */
  onChanged?(deps: Deps): void
}

type AccountTable = PgTable & Record<keyof AccountRow, PgColumn>
type Rows<Row> = PromiseLike<Row[]> & Preparable<Row[]>
type Selected<Row> = Rows<Row> & { orderBy(...columns: SQL[]): PromiseLike<Row[]> }
/** Locks a row: it is set to what it is. */
type Unchanged = { updatedAt: SQL<number> }

/** The verbs that all accounts have. */
export interface Accounts<Row extends AccountRow, Noun extends AccountNoun = AccountNoun> {
  noun: Noun
  table: AccountTable
  /** Oldest first, without removed ones. */
  list(deps: Deps, orgId: string): Promise<Row[]>
  /** Of all organizations, without removed ones. */
  listAll(deps: Deps, where?: SQL): Promise<Row[]>
  /** Throws 404. */
  read(deps: Deps, orgId: string, id: string): Promise<Row>
  /** Undefined for a removed one. Lock the organization's row first. */
  lock(tx: Transaction, orgId: string, id: string): Promise<Row | undefined>
  save(tx: Transaction, before: Row, set: Partial<Row>): Promise<Row>
  /**
   * Changes an account with its row locked, after the organization's, and records the change in the audit log unless
   * nothing changed. `alsoSave` is called in any case. Throws 404.
   */
  change(
    deps: Deps,
    orgId: string,
    of: { id: string; action: AuditAction },
    change: (tx: Transaction, before: Row) => Promise<Row>,
    alsoSave?: AlsoSave<Row>,
  ): Promise<Row>
  /** Records in the audit log that it was connected. */
  recordCreated(deps: Deps, tx: Transaction, row: Row, detail?: Record<string, unknown>): Promise<void>
}

export function accountsOf<Row extends AccountRow, Noun extends AccountNoun>(
  kind: AccountKind<Row, Noun>,
): Accounts<Row, Noun> {
  const { noun, prefix, table } = kind
  const isOne = ({ orgId, id }: { orgId: SQL; id: SQL }) =>
    and(eq(table.orgId, orgId), eq(table.id, id), isNull(table.deletedAt))
  const findRow = statement(`${noun}_find`, { orgId: text, id: text }, (read: Reader, p) =>
    kind.select(read, isOne(p)),
  )
  const lockRow = statement(`${noun}_lock`, { orgId: text, id: text }, (tx, p) =>
    kind.update(tx, { updatedAt: sql`${table.updatedAt}` }, isOne(p)),
  )

  const accounts: Accounts<Row, Noun> = {
    noun,
    table,
    async list(deps, orgId) {
      const isOfOrganization = and(eq(table.orgId, orgId), isNull(table.deletedAt))
      const rows = kind.select(deps.database.read, isOfOrganization)
      return rows.orderBy(asc(table.createdAt), asc(table.id))
    },
    async listAll(deps, where) {
      return kind.select(deps.database.read, and(isNull(table.deletedAt), where))
    },
    async read(deps, orgId, id) {
      const [row] = isId(prefix, id) ? await findRow(deps.database.read, { orgId, id }) : []
      if (!row) throw notFound(noun)
      return row
    },
    async lock(tx, orgId, id) {
      const [row] = await lockRow(tx, { orgId, id })
      return row
    },
    async save(tx, { orgId, id }, set) {
      const [saved] = await kind.update(tx, set, matches(table, { orgId, id }))
      if (!saved) throw new Error(`The ${noun} ${id} is missing.`)
      return saved
    },
    async change(deps, orgId, { id, action }, change, alsoSave) {
      if (!isId(prefix, id)) throw notFound(noun)
      const changed = await deps.database.write(orgId, async (tx) => {
        // Events of other units of this commit are for endpoints as they were.
        await saveDeferred(tx)
        recordWorkspaceChange(deps, tx, orgId)
        const before = await accounts.lock(tx, orgId, id)
        if (!before) throw notFound(noun)
        const after = await change(tx, before)
        await alsoSave?.(tx, after)
        if (after === before) return before
        const fields = kind.changedFields?.({ before, after }) ?? []
        const detail = fields.length > 0 ? { fields } : undefined
        const subject = { id, label: kind.labelOf(after) }
        await recordAudit(deps, tx, orgId, { action, subject, detail })
        return after
      })
      kind.onChanged?.(deps)
      return changed
    },
    async recordCreated(deps, tx, row, detail) {
      const subject = { id: row.id, label: kind.labelOf(row) }
      await recordAudit(deps, tx, row.orgId, { action: `${noun}.created`, subject, detail })
    },
  }
  return accounts
}

type ChangeState<Row> = (deps: Deps, orgId: string, id: string) => Promise<Row>

/** Verbs that pause and resume an account. Both do nothing for one that is in that state already. */
export function pauseAndResume<Row extends AccountRow & { state: string }>(
  { noun, change, save }: Accounts<Row, 'mailbox' | 'bot' | 'widget'>,
  of: {
    /** The columns of a paused and of an active one. */
    paused: Partial<Row>
    active: Partial<Row>
    /** Throws 409 for one that can't be active yet. */
    requireReady?: (before: Row) => void
  },
): [pause: ChangeState<Row>, resume: ChangeState<Row>] {
  return [
    (deps, orgId, id) =>
      change(deps, orgId, { id, action: `${noun}.paused` }, async (tx, before) => {
        if (before.state === 'paused') return before
        return save(tx, before, { ...of.paused, updatedAt: deps.clock.now() })
      }),
    (deps, orgId, id) =>
      change(deps, orgId, { id, action: `${noun}.resumed` }, async (tx, before) => {
        if (before.state === 'active') return before
        of.requireReady?.(before)
        return save(tx, before, { ...of.active, updatedAt: deps.clock.now() })
      }),
  ]
}

/** Whether any organization has an account in this table. */
export async function isAnyConnected({ database }: Deps, table: PgTable | undefined): Promise<boolean> {
  if (!table) return false
  const { deletedAt } = getTableColumns(table)
  const isConnected = deletedAt && isNull(deletedAt)
  const [some] = await database.read.select({ one: sql`1` }).from(table).where(isConnected).limit(1)
  return some !== undefined
}

/** Names of the fields in which two rows differ. */
export function changedFields<Row, Field extends keyof Row>(
  fields: readonly Field[],
  { before, after }: { before: Row; after: Row },
): Field[] {
  return fields.filter((field) => !isDeepStrictEqual(before[field], after[field]))
}

/** A row with these fields only. */
export function pickFields<Row, Field extends keyof Row>(
  row: Row,
  fields: readonly Field[],
): Pick<Row, Field> {
  return Object.fromEntries(fields.map((field): unknown[] => [field, row[field]]))
}
