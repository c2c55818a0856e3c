import { buildWeb } from '../../web/build.ts'

let built: Promise<unknown> | undefined

/** Builds the pages of `web` into `dist/web`. With several test processes, only one builds. */
export async function requireBuiltWeb(): Promise<void> {
  built ??= buildWeb()
  await built
}
