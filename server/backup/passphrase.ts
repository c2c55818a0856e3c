import { Decrypter, Encrypter } from 'age-encryption'
import { BackupError } from './backup-error.ts'

type Bytes = AsyncIterable<Uint8Array>

/** The start of every file in the age format (age-encryption.org/v1). */
const AGE_HEADER = Buffer.from('age-encryption.org/v1')

export function isEncrypted(head: Uint8Array): boolean {
  return AGE_HEADER.equals(head.subarray(0, AGE_HEADER.length))
}

export async function* encrypt(bytes: Bytes, passphrase: string): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  yield* await encrypter.encrypt(webStreamOf(bytes))
}

/** Throws `BackupError` for a wrong passphrase. */
export async function* decrypt(bytes: Bytes, passphrase: string): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  const decrypted = await decrypter.decrypt(webStreamOf(bytes)).catch((cause) => {
    const isWrong = cause instanceof Error && cause.message.includes('no identity matched')
    throw isWrong ? new BackupError("The passphrase doesn't fit this backup.", { cause }) : cause
  })
  yield* decrypted
}

function webStreamOf(bytes: Bytes): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = bytes[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(new Uint8Array(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
