import type { WidgetAppearance, WidgetHours, WidgetQuestions } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { changedFields, pickFields } from '../../accounts/accounts.ts'
import { checkWidget, MAX_TITLE_LENGTH, type WidgetInput } from './check-widget.ts'
import type { Widget } from './find-widget.ts'

/** Random bytes of an identity secret: as strong as the hash it signs with. */
const SECRET_BYTES = 32
/** For people and secret scanners. */
const SECRET_PREFIX = 'bellhop_ws_'

const DEFAULT_APPEARANCE: Omit<WidgetAppearance, 'title'> = {
  greeting: '',
  color: '#2563eb',
  position: 'right',
  theme: 'auto',
  language: 'auto',
  sound: true,
}
const DEFAULT_QUESTIONS: WidgetQuestions = { name: 'off', email: 'off', fields: [] }

/** `hours` null: always open. The title is the organization's name unless it is given. */
export interface NewWidget {
  name: string
  origins: string[]
  appearance?: Partial<WidgetAppearance>
  questions?: Partial<WidgetQuestions>
  hours?: WidgetHours | null
  verifiedOnly?: boolean
  /** Empty for none. */
  telegramBotId?: string
}
export type WidgetChange = Partial<NewWidget>

/** The row of a new widget, and its identity secret. Throws 400 with every fault. */
export async function newRow(
  deps: Deps,
  { orgId, orgName }: { orgId: string; orgName: string },
  input: NewWidget,
): Promise<{ row: Omit<Widget, 'keyId'>; identitySecret: string }> {
  const checked = await checkWidget({
    name: input.name,
    origins: input.origins,
    appearance: {
      title: [...orgName].slice(0, MAX_TITLE_LENGTH).join(''),
      ...DEFAULT_APPEARANCE,
      ...input.appearance,
    },
    questions: { ...DEFAULT_QUESTIONS, ...input.questions },
    hours: input.hours ?? null,
    verifiedOnly: input.verifiedOnly ?? false,
    telegramBotId: input.telegramBotId ?? '',
  })
  const id = deps.newId('wgt')
  const now = deps.clock.now()
  const identitySecret = newSecret(deps)
  const row: Omit<Widget, 'keyId'> = {
    id,
    orgId,
    ...checked,
    state: 'active',
    identitySecret: deps.encryption.encrypt(identitySecret, id),
    previousIdentitySecret: null,
    previousIdentitySecretUntil: null,
    seenUrl: '',
    seenAt: null,
    refusedOrigin: '',
    refusedAt: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  }
  return { row, identitySecret }
}

/** What the change sets. Parts of the appearance and of the questions that aren't given stay. Throws 400 with every fault. */
export function changedInput(before: Widget, change: WidgetChange): Promise<WidgetInput> {
  return checkWidget({
    ...pickFields(before, WIDGET_SETTINGS),
    ...change,
    appearance: { ...before.appearance, ...change.appearance },
    questions: { ...before.questions, ...change.questions },
  })
}

export const WIDGET_SETTINGS = [
  'name',
  'origins',
  'appearance',
  'questions',
  'hours',
  'verifiedOnly',
  'telegramBotId',
] as const satisfies (keyof WidgetInput)[]

/** The columns that a checked change sets. */
export function changedColumns(
  before: Widget,
  change: WidgetChange,
  checked: WidgetInput,
): Partial<WidgetInput> {
  const fields = changedFields(WIDGET_SETTINGS, { before, after: { ...before, ...checked } })
  return pickFields(
    checked,
    fields.filter((field) => change[field] !== undefined),
  )
}

/** The text itself is the key of the signatures: it isn't decoded. */
export function newSecret(deps: Pick<Deps, 'randomBytes'>): string {
  return SECRET_PREFIX + Buffer.from(deps.randomBytes(SECRET_BYTES)).toString('base64url')
}
