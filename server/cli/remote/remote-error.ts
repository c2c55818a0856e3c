/** What a server that a command called answered, or why it couldn't be called, in one sentence. */
export class RemoteError extends Error {
  override name = 'RemoteError'
}
