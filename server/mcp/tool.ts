import { KindGuard, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import type { Caller } from '../api-keys/require-api-key.ts'
import type { ToolLimits } from '../config.ts'
import type { KeyScope } from '../database/tables/api-keys.ts'
import type { Deps } from '../deps.ts'
import { type Fault, invalid } from '../errors.ts'
import { createCheck, faultsOf } from '../requests/validation-errors.ts'

/** One call of a tool. */
export interface ToolCall {
  /** They act for the caller. */
  deps: Deps
  caller: Caller
  signal: AbortSignal
}

export interface ToolAnswer<Data = Record<string, unknown>> {
  data: Data
  /** A picture that the model sees, in base64. */
  image?: { data: string; mimeType: string }
}

interface Described<Input, Output> {
  name: string
  title: string
  /** For the model that decides whether to call it. Never made from what someone wrote. */
  description: string
  /** Without it, the tool is neither listed nor callable. */
  scope: KeyScope
  input: Input
  output: Output
  effect: ToolEffect
  /** Counted beside the requests of the key. */
  limit?: keyof ToolLimits
}

/**
 * `reads`: changes nothing. `adds` and `changes`: only the team sees it, and can take it back. `sends`: it reaches someone
 * outside.
 */
type ToolEffect = 'reads' | 'adds' | 'changes' | 'sends'

/** A tool for programs that speak the Model Context Protocol. */
export interface Tool extends Described<TObject, TObject> {
  /** Returns the call with these arguments. Throws 400 if they are wrong. */
  prepare(args: unknown): (call: ToolCall) => Promise<ToolAnswer>
}

export function defineTool<Input extends TObject, Output extends TObject>({
  run,
  ...described
}: Described<Input, Output> & {
  run(call: ToolCall, input: Static<Input>): Promise<ToolAnswer<Static<Output>>>
}): Tool {
  const { input } = described
  const isInput = createCheck(input)
  const isValid = (args: unknown): args is Static<Input> => isInput(args)
  return {
    ...described,
    prepare(args) {
      if (!isValid(args))
        throw invalid(faultsOf(input, args, 'body').map((fault) => withKnownNames(input, fault)))
      return (call) => run(call, args)
    },
  }
}

/** Says what a tool takes instead of repeating an unknown name, which may be anything. */
function withKnownNames(input: TObject, { pointer = '', ...fault }: Fault): Fault {
  if (fault.code !== 'unknown_field') return { pointer, ...fault }
  const place = pointer.slice(0, pointer.lastIndexOf('/'))
  const known = namesAt(input, place.split('/').slice(1)).join(', ') || 'nothing'
  const detail = `Unknown argument. This ${place === '' ? 'tool' : 'object'} takes ${known}.`
  return { pointer: place, code: fault.code, detail }
}

/** The names that a nested object takes. */
function namesAt(schema: TSchema, [name, ...rest]: string[]): string[] {
  if (KindGuard.IsArray(schema)) return namesAt(schema.items, rest)
  if (!KindGuard.IsObject(schema)) return []
  const inner = name === undefined ? undefined : schema.properties[name]
  return inner ? namesAt(inner, rest) : Object.keys(schema.properties)
}
