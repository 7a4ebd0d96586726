import type { KeyOwner } from '@reticle/contracts/api/keys'

declare module 'fastify' {
  interface FastifyRequest {
    /** The call under a key that this request has made its own; null for every other. */
    repeat: Repeat | null
  }
}

/** A call that its sender may repeat (`Idempotency-Key`). */
export interface Repeat {
  /** Who keeps the key. */
  owner: KeyOwner
  id: string
  /** This attempt. */
  claim_id: string
  /** The same for all attempts; known once the key is ours. */
  call_id?: string
  /** What the answer is sealed with. */
  seal: Buffer
  /** The body, where it was read already. */
  whole?: Buffer
  /** To be told each piece of a body that is read elsewhere, and its end. */
  read(piece: Uint8Array): void
  end(): void
  /** Of all that was asked for; nothing before the end of the body. */
  fingerprint(): string | undefined
  /** Ends what keeps the key ours. */
  stop?(): void
}
