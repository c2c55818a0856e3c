import { buildWeb } from '../../web/build.ts'

let built: Promise<unknown> | undefined

/** Makes sure that `dist/web` holds the pages as they stand in `web`. Of several test processes one builds. */
export async function requireBuiltWeb(): Promise<void> {
  built ??= buildWeb()
  await built
}
