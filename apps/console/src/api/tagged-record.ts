import type { AnswerOf, InputOf } from '@reticle/sdk'
import { api } from './client.ts'
import { etagOf } from './etag.ts'

/** Operations on one record whose response has an `ETag`. */
type Named = 'getGuide' | 'updateGuide'

/** A record and its entity tag, for `If-Match`. */
export interface TaggedRecord<R> {
  record: R
  etag: string | undefined
}

/** Calls an operation and returns the record with its entity tag. */
export async function callTagged<N extends Named>(
  name: N,
  input: InputOf<N>,
): Promise<TaggedRecord<AnswerOf<N>>> {
  const answer = await api.respond(name, input)
  return { record: await answer.json(), etag: etagOf(answer) }
}

/** Returns the entity tag of the annotations of a job. The body can be large and is not read. */
export async function readAnnotationsTag(id: number): Promise<string | undefined> {
  const answer = await api.respond('getJobAnnotations', { id })
  await answer.body?.cancel()
  return etagOf(answer)
}
