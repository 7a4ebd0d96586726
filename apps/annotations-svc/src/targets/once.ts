import { createHash } from 'node:crypto'
import { type BytesAnswer, type CallContext, conflict } from '@reticle/kit'
import { busy } from '@reticle/kit/db/errors'
import { answerOf, noteApplied } from '@reticle/kit/keys/applied-calls'
import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'

/** Called in the transaction of a write after its body was read. */
export type Note = (tx: Transaction<AnnotationsDb>, etag: string) => Promise<void>

export interface SentBody {
  id: number
  body: AsyncIterable<Uint8Array>
}

/** Stored result of a repeatable write; it does not contain the objects. */
interface Applied {
  etag: string
  fingerprint: string
}

/**
 * Runs a repeatable write once per `call_id`. The body is not stored but hashed while it passes. A repeat happens
 * when the process that should have stored the first response died: it is read to its end, changes nothing, and
 * returns the target and the entity tag of the first write (docs/spec/rest.md#idempotency-keys).
 *
 * @throws DomainError conflict `idempotency_key_reused` when the repeat has another body
 */
export async function writeOnce(
  { db }: Pick<Deps, 'db'>,
  { id, body }: SentBody,
  { call_id }: Pick<CallContext, 'call_id'>,
  write: (body: SentBody['body'], note?: Note) => Promise<BytesAnswer>,
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
    if (!(await noteApplied(tx, call_id, applied))) throw busy() // a concurrent attempt
  })
}

const reused = () =>
  conflict('This Idempotency-Key was sent before with another body.', {
    code: 'idempotency_key_reused',
  })

async function* hashed(body: SentBody['body'], hash: ReturnType<typeof createHash>) {
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
