import type { Deps } from '../deps.ts'
import { AppError, invalid } from '../errors.ts'

const LEAST_LENGTH = 10
const MOST_LENGTH = 1_000

/** What one comparison costs whoever tries passwords, and us. */
export interface PasswordCost {
  /** KiB. */
  memoryCost: number
  timeCost: number
}

/** What OWASP's Password Storage Cheat Sheet asks for at least. A higher memory cost would be felt at every sign-in. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 }
/** More would take all memory and processors when many sign in, or somebody tries passwords. */
const AT_ONCE = 2
const MOST_WAITING = 40
/** Of random bytes that nobody kept. */
const NOBODYS = '$0txKGNtbi3pqMOJA8RGlNcfwH53e2Ta7lpE9sfAVDoY$Icbu/e+asal/liXxXghq112efn1c0t0rR07w+ml3DI4'

type Hashing = Pick<Deps, 'passwordCost'>

/** Throws 400 for a password that is too short. */
export function hashPassword({ passwordCost }: Hashing, password: string): Promise<string> {
  const length = [...password].length
  if (length < LEAST_LENGTH) {
    const detail = `Needs at least ${LEAST_LENGTH} characters.`
    throw invalid([{ pointer: '/password', code: 'too_short', detail }])
  }
  if (length > MOST_LENGTH) {
    const detail = `Takes at most ${MOST_LENGTH} characters.`
    throw invalid([{ pointer: '/password', code: 'too_long', detail }])
  }
  return inTurn(() => Bun.password.hash(typed(password), { algorithm: 'argon2id', ...passwordCost }))
}

/** Takes the same time without a hash, and is false then. */
export function isPassword(
  { passwordCost }: Hashing,
  password: string,
  hash: string | null,
): Promise<boolean> {
  return inTurn(async () => {
    const isRight = await Bun.password.verify(typed(password), hash ?? nobodysHash(passwordCost))
    return isRight && hash !== null
  })
}

/** Comparing with it takes as long as comparing with an agent's. */
function nobodysHash({ memoryCost, timeCost }: PasswordCost): string {
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1${NOBODYS}`
}

/** Keyboards write the same letter in more than one way. */
function typed(password: string): string {
  return password.normalize('NFC')
}

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < AT_ONCE) running += 1
  else if (waiting.length < MOST_WAITING) await new Promise<void>((resolve) => waiting.push(resolve))
  else throw busy()
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

function busy(): AppError {
  return new AppError(503, 'busy', 'Too many people are signing in right now. Try again in a few seconds.', {
    headers: { 'retry-after': '5' },
  })
}
