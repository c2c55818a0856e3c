import { AppError, invalid } from '../errors.ts'

const MIN_LENGTH = 10
const MAX_LENGTH = 1_000

/** Cost of one argon2id hash. */
export interface PasswordCost {
  /** KiB. */
  memoryCost: number
  timeCost: number
}

/** The minimum of OWASP's Password Storage Cheat Sheet. More memory would make every sign-in noticeably slower. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 }
/** Limits memory and CPU when many sign in at once or someone tries passwords. */
const MAX_RUNNING = 2
const MAX_WAITING = 40
/** The salt and hash of discarded random bytes. */
const DUMMY_SALT_AND_HASH =
  '$0txKGNtbi3pqMOJA8RGlNcfwH53e2Ta7lpE9sfAVDoY$Icbu/e+asal/liXxXghq112efn1c0t0rR07w+ml3DI4'

interface Hashing {
  passwordCost: PasswordCost
}

/** Throws 400 for a password that is too short or too long. */
export function hashPassword({ passwordCost }: Hashing, password: string): Promise<string> {
  const length = [...password].length
  if (length < MIN_LENGTH) {
    const detail = `Must have at least ${MIN_LENGTH} characters.`
    throw invalid([{ pointer: '/password', code: 'too_short', detail }])
  }
  if (length > MAX_LENGTH) {
    const detail = `Must be at most ${MAX_LENGTH} characters.`
    throw invalid([{ pointer: '/password', code: 'too_long', detail }])
  }
  return limited(() => Bun.password.hash(normalized(password), { algorithm: 'argon2id', ...passwordCost }))
}

/** Returns false without a hash, after the same time. */
export function isPassword(
  { passwordCost }: Hashing,
  password: string,
  hash: string | null,
): Promise<boolean> {
  return limited(async () => {
    const isRight = await Bun.password.verify(normalized(password), hash ?? dummyHash(passwordCost))
    return isRight && hash !== null
  })
}

/** Takes as long to verify as a real hash. */
function dummyHash({ memoryCost, timeCost }: PasswordCost): string {
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1${DUMMY_SALT_AND_HASH}`
}

/** Keyboards produce the same letter in different Unicode forms. */
function normalized(password: string): string {
  return password.normalize('NFC')
}

let running = 0
const waiting: (() => void)[] = []

async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (running < MAX_RUNNING) running += 1
  else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => waiting.push(resolve))
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
