import type { KeyOwner } from '@reticle/contracts/api/keys'

declare module 'fastify' {
  interface FastifyRequest {
    /** The call with a key that this HTTP request has claimed; null for all others. */
    repeat: Repeat | null
  }
}

/** A call that the client may repeat (`Idempotency-Key`). */
export interface Repeat {
  /** Service that stores the key. */
  owner: KeyOwner
  id: string
  /** Id of this attempt. */
  claim_id: string
  /** Equal for all attempts; set once the key is claimed. */
  call_id?: string
  /** Encryption key of the response. */
  seal: Buffer
  /** The body, if it was already read. */
  whole?: Buffer
  /** Receives each piece of a body that is read elsewhere; `end` marks its end. */
  read(piece: Uint8Array): void
  end(): void
  /** Returns the hash of the complete call; undefined before the end of the body. */
  fingerprint(): string | undefined
  /** Stops the renewal of the lease. */
  stop?(): void
}
