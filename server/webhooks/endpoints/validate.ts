import type { Config } from '../../config.ts'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../database/tables/events.ts'
import { type Fault, invalid } from '../../errors.ts'
import { createAddressPolicy } from '../../network/address-policy.ts'
import { refusalOfUrl } from './endpoint-url.ts'

const MAX_DESCRIPTION_LENGTH = 255

type FaultLocation = Pick<Fault, 'pointer' | 'parameter'>

export interface EndpointInput {
  url: string
  /** Empty by default. */
  description?: string | undefined
  /** One or more of `WEBHOOK_EVENTS`. */
  events: readonly string[]
}

interface CheckedInput {
  url: string
  description: string
  events: WebhookEvent[]
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
  }
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
