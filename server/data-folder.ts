import { accessSync, constants, mkdirSync } from 'node:fs'
import { StartError } from './start-error.ts'

/** Makes the folder that holds everything, for its owner only. Throws `StartError` when it cannot be written to. */
export function requireDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new StartError(
      `BELLHOP_DATA is "${folder}". It should be a folder that this user can make or write to.`,
      { cause },
    )
  }
}
