/** What the page of backups and the loop that makes them say to each other. */
export interface BackupRequests {
  /** Set by the loop. */
  isRunning: boolean
  /** Asks for a backup now. One that is running doesn't count. */
  ask(): void
  /** Whether someone asked since the last call of `take`. */
  isAsked(): boolean
  take(): void
  onAsk: () => void
}

export function createBackupRequests(): BackupRequests {
  let isAsked = false
  const requests: BackupRequests = {
    isRunning: false,
    ask() {
      isAsked = true
      requests.onAsk()
    },
    isAsked: () => isAsked,
    take() {
      isAsked = false
    },
    onAsk() {},
  }
  return requests
}
