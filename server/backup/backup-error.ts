/** Why a backup can't be made or used, in one sentence for the person who needs it. */
export class BackupError extends Error {
  override name = 'BackupError'
}

const REASONS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  SQLITE_FULL: 'the disk is full',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the disk is read-only',
  ENOENT: "the folder or file doesn't exist",
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file has this name',
  EISDIR: 'it is a folder',
  EIO: 'the disk has an error',
}

/** Runs a step. Throws what it throws, or `BackupError` with `what` and the reason when the disk failed. */
export async function namingDiskFaults<T>(what: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const reason = REASONS[code]
    throw reason ? new BackupError(`${what}: ${reason}.`, { cause }) : cause
  }
}
