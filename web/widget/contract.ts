/** What the server sends to the page of a visitor, and what the loader gives to the app. */

type QuestionMode = 'off' | 'optional' | 'required'

export interface WidgetSettings {
  title: string
  greeting: string
  /** `#rrggbb` */
  color: string
  position: 'left' | 'right'
  theme: 'auto' | 'light' | 'dark'
  /** `auto`, or one of the languages of the texts. */
  language: string
  sound: boolean
  questions: {
    name: QuestionMode
    email: QuestionMode
    fields: { key: string; label: string; isRequired: boolean }[]
  }
  verifiedOnly: boolean
  /** Whether a conversation can be continued there. */
  telegram: boolean
  isOpen: boolean
  awayText: string
  opensAt: string | null
  maxFileBytes: number
  maxTextLength: number
  /** For the preview: what it shows of a visitor who writes for the first time, or of a conversation. */
  sample?: 'first' | 'conversation'
}

export interface Conversation {
  id: string
  clientId: string | null
  state: 'open' | 'ended'
  preview: { text: string; isMine: boolean }
  updatedAt: string
  unread: number
  agent: { name: string } | null
  agentSeenAt: string | null
}

export interface Attachment {
  id: string
  name: string
  type: string
  size: number
  width?: number | null
  height?: number | null
}

export interface Message {
  id: string
  clientId: string | null
  conversationId: string
  from: 'visitor' | 'agent' | 'system'
  agentName: string | null
  text: string
  html: string | null
  attachments: Attachment[]
  createdAt: string
  isEmailed: boolean
  /** An agent took it back after the visitor had seen it. */
  isRemoved?: boolean
}

export interface Visitor {
  id: string
  isVerified: boolean
  /** Empty when unknown. */
  name: string
  email: string
}

/** Arguments of `Bellhop('identify', …)`. */
export interface Identity {
  jwt?: string
  userId?: string
  userHash?: string
  name?: string
  email?: string
}

export type NativeName = 'fetch' | 'XMLHttpRequest' | 'Promise' | 'AbortController'
/** Returns the browser's own function, also when the page has replaced it. */
export type Native = <Name extends NativeName>(name: Name) => (typeof globalThis)[Name]

/** The launcher, and what the app needs to know about the page. */
export interface Shell {
  key: string
  /** The origin of the server. */
  origin: string
  settings: WidgetSettings
  /** Shows sample messages and calls no server. */
  isPreview: boolean
  native: Native
  root: ShadowRoot
  /** The app puts its panel into it. It has the theme, the direction and the colors. */
  frame: HTMLElement
  launcher: HTMLButtonElement
  setLauncher(state: LauncherState): void
  setHidden(isHidden: boolean): void
}

export interface LauncherState {
  isOpen: boolean
  unread: number
  label: string
}

/** The commands of the page: `Bellhop('open')`. Returns false for an unknown one. */
export interface App {
  run(command: string, args: unknown[]): boolean
  /** New settings, for the preview. */
  update(settings: WidgetSettings): void
  remove(): void
}
