import { createHash } from 'node:crypto'
import { type BytesAnswer, type Context, conflict } from '@reticle/kit'
import { busy } from '@reticle/kit/db/errors'
import { answerOf, noteApplied } from '@reticle/kit/outbox/calls'
import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'

/** To be told of a write in its transaction, when its body was read to the end. */
export type Note = (tx: Transaction<AnnotationsDb>, etag: string) => Promise<void>

export interface Sent {
  id: number
  body: AsyncIterable<Uint8Array>
}

/** What is remembered of a write that its sender may repeat: too little to answer the objects again. */
interface Applied {
  etag: string
  fingerprint: string
}

/**
 * Runs a write whose sender may send it again under the same `call_id`, once. Nobody holds its body: it is hashed as it
 * passes. A repeat (its first answer was lost with the process that should have kept it) is read to its end, changes
 * nothing, and is answered which set it was and the entity tag that the write led to (`spec/extensions.md` 7).
 *
 * @throws DomainError conflict `idempotency_key_reused` when the repeat has another body
 */
export async function writeOnce(
  { db }: Pick<Deps, 'db'>,
  { id, body }: Sent,
  { call_id }: Pick<Context, 'call_id'>,
  write: (body: Sent['body'], note?: Note) => Promise<BytesAnswer>,
): Promise<BytesAnswer> {
  if (!call_id) return write(body)
  const hash = createHash('sha256')
  const known = await answerOf<AnnotationsDb, Applied>(db, call_id)
  if (known) {
    for await (const piece of body) hash.update(piece)
    if (hash.digest('base64url') !== known.answer.fingerprint) throw reused()
    return shortAnswer(id, known.answer.etag)
  }
  return write(hashed(body, hash), async (tx, etag) => {
    const applied: Applied = { etag, fingerprint: hash.digest('base64url') }
    if (!(await noteApplied(tx, call_id, applied))) throw busy() // another attempt, at the same time
  })
}

const reused = () =>
  conflict('This Idempotency-Key was sent before with another body.', {
    code: 'idempotency_key_reused',
  })

async function* hashed(body: Sent['body'], hash: ReturnType<typeof createHash>) {
  for await (const piece of body) {
    hash.update(piece)
    yield piece
  }
}

function shortAnswer(id: number, etag: string): BytesAnswer {
  async function* chunks() {
    yield Buffer.from(JSON.stringify({ id }))
  }
  return { head: { etag }, chunks: chunks() }
}
