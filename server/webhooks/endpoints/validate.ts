import { CHANNELS, type ChannelKind } from '../../channels/kinds.ts'
import type { Config } from '../../config.ts'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../database/tables/events.ts'
import { CHANGED_FIELDS, type ChangedField, type EndpointFilters } from '../../database/tables/webhooks.ts'
import { type Fault, invalid } from '../../errors.ts'
import { type AddressPolicy, createAddressPolicy } from '../../network/address-policy.ts'

const MAX_DESCRIPTION_LENGTH = 255

type FaultLocation = Pick<Fault, 'pointer' | 'parameter'>

export interface EndpointInput {
  url: string
  /** Empty by default. */
  description?: string | undefined
  /** One or more of `WEBHOOK_EVENTS`. */
  events: readonly string[]
  /** Filters: an empty one lets everything through. */
  channels?: readonly ChannelKind[] | undefined
  tags?: readonly string[] | undefined
  changes?: readonly ChangedField[] | undefined
}

interface CheckedInput {
  url: string
  description: string
  events: WebhookEvent[]
  filters: EndpointFilters | null
}

/** Throws 400 with all faults; the codes for the URL are `URL_REFUSALS`. Returns each event once, in a fixed order. */
export function checkEndpoint(config: Config, input: EndpointInput): CheckedInput {
  const description = (input.description ?? '').trim()
  const faults = [
    urlFault(config, input.url),
    descriptionFault(description),
    eventsFault(input.events),
  ].filter((fault) => fault !== null)
  if (faults.length > 0) throw invalid(faults)
  return {
    url: input.url,
    description,
    events: WEBHOOK_EVENTS.filter((event) => input.events.includes(event)),
    filters: filtersOf(input),
  }
}

/** Without the empty ones; null if all are. */
function filtersOf({ channels = [], tags = [], changes = [] }: EndpointInput): EndpointFilters | null {
  const filters = {
    channels: CHANNELS.filter((channel) => channels.includes(channel)),
    tags: [...new Set(tags.map((tag) => tag.trim()))],
    changes: CHANGED_FIELDS.filter((field) => changes.includes(field)),
  }
  const chosen = Object.entries(filters).filter(([, values]) => values.length > 0)
  return chosen.length > 0 ? Object.fromEntries(chosen) : null
}

/** A webhook event by its name. Throws 400 with the location of an unknown name. */
export function requireWebhookEvent(name: string, where: FaultLocation): WebhookEvent {
  const event = WEBHOOK_EVENTS.find((one) => one === name)
  if (!event) throw invalid([unknownEvent(where, name)])
  return event
}

/** Ends the sentence about a host that the address policy refuses. */
const ALLOW_HINT = 'To use it, add it or its network to BELLHOP_WEBHOOK_ALLOW.'

function urlFault(config: Config, url: string): Fault | null {
  const refusal = refusalOfUrl(createAddressPolicy(config.webhookAllow), url)
  if (!refusal) return null
  const isBlocked = refusal.code === 'blocked_host' || refusal.code === 'blocked_address'
  const detail = isBlocked ? `${refusal.detail} ${ALLOW_HINT}` : refusal.detail
  return { pointer: '/url', code: refusal.code, detail }
}

function descriptionFault(description: string): Fault | null {
  if (description.length <= MAX_DESCRIPTION_LENGTH) return null
  return {
    pointer: '/description',
    code: 'too_long',
    detail: `Must be at most ${MAX_DESCRIPTION_LENGTH} characters.`,
  }
}

function eventsFault(events: readonly string[]): Fault | null {
  if (events.length === 0) {
    return {
      pointer: '/events',
      code: 'required',
      detail: `Choose at least one of: ${WEBHOOK_EVENTS.join(', ')}.`,
    }
  }
  const known: readonly string[] = WEBHOOK_EVENTS
  const unknown = events.find((event) => !known.includes(event))
  return unknown === undefined ? null : unknownEvent({ pointer: '/events' }, unknown)
}

function unknownEvent(where: FaultLocation, name: string): Fault {
  const shown = name.slice(0, 64)
  return {
    ...where,
    code: 'unknown_event',
    detail: `"${shown}" is not an event. Use ${WEBHOOK_EVENTS.join(' or ')}.`,
  }
}

const MAX_URL_LENGTH = 2_048

export const URL_REFUSALS = [
  'invalid_url',
  'url_too_long',
  'not_https',
  'has_credentials',
  'blocked_host',
  'blocked_address',
] as const

interface UrlRefusal {
  code: (typeof URL_REFUSALS)[number]
  /** Tells the administrator what to change. */
  detail: string
}

/** Why this URL cannot be an endpoint, or null. Does not resolve names: every connection does that. */
export function refusalOfUrl(policy: AddressPolicy, text: string): UrlRefusal | null {
  if (text.length > MAX_URL_LENGTH) {
    return { code: 'url_too_long', detail: `The URL must be at most ${MAX_URL_LENGTH} characters.` }
  }
  const url = hasSpaceOrControl(text) ? null : URL.parse(text)
  if (!url) return { code: 'invalid_url', detail: 'Enter a URL such as https://example.com/hooks.' }
  if (url.protocol !== 'https:') {
    return { code: 'not_https', detail: 'The URL must start with https://.' }
  }
  // A client treats port 0 as no port and would connect to 443.
  if (url.port === '0') return { code: 'invalid_url', detail: 'Port 0 is not valid.' }
  if (url.username || url.password) {
    return { code: 'has_credentials', detail: 'The URL must not contain a user name or password.' }
  }
  return policy.refusalOfHost(url.hostname)
}

function hasSpaceOrControl(text: string): boolean {
  // The URL parser drops these silently, but the URL must be used exactly as registered.
  for (const character of text) if (character <= ' ' || character === '\u007f') return true
  return false
}
