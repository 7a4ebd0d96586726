import { storedZip } from '../support/archives.ts'
import type { Json } from '../support/client.ts'
import { formOf, type Picture } from '../support/pictures.ts'
import { tus } from '../support/tus.ts'
import type { Caller } from './person.ts'

/** Every way in which pictures come into a task. */

export interface Surroundings {
  pictures: readonly Picture[]
  /** The cloud storage in which they are too. */
  storage_id: number
}

/** Brings the pictures into a new task and waits for its frames. Undefined: nobody knows what of it arrived. */
export type Bring = (caller: Caller, id: number, around: Surroundings) => Promise<Json | undefined>

const unsure = undefined

/** One form, which is sent again under its key. */
const asForm: Bring = async (caller, id, { pictures }) => {
  const sent = { form: formOf([...pictures]) }
  const answer = await caller.send('POST', `/tasks/${id}/data`, sent)
  // After a crash an upload that is repeated is stored again, and a task that has its media says so.
  if (answer.status >= 300 && answer.attempts > 1) return unsure
  if (answer.status >= 300) throw new Error(`POST /tasks/N/data: ${answer.status} ${answer.text}`)
  return caller.ended(answer.body.rq_id)
}

/** A form for every picture, between a call that opens and one that closes. */
const asForms: Bring = async (caller, id, { pictures }) => {
  const path = `/tasks/${id}/data`
  await caller.done('POST', path, { headers: { 'upload-start': '1' } })
  for (const one of pictures) {
    const sent = { form: formOf([one]), headers: { 'upload-multiple': '1' } }
    const { status, attempts, text } = await caller.send('POST', path, sent)
    if (attempts > 1) return unsure
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${text}`)
  }
  return finish(caller, path)
}

const pieces = 4

/** An archive in pieces, each from where the server says that the file ends. */
const inPieces: Bring = async (caller, id, { pictures }) => {
  const path = `/tasks/${id}/data`
  const archive = storedZip(pictures)
  await caller.done('POST', path, { headers: { 'upload-start': '1' } })
  const name = Buffer.from('pictures.zip').toString('base64')
  const headers = { 'upload-length': String(archive.length), 'upload-metadata': `filename ${name}` }
  const begun = await caller.send('POST', `${path}/`, { headers: { ...tus, ...headers } })
  const location = begun.headers.get('location')
  if (begun.attempts > 1) return unsure
  if (!location) throw new Error(`POST ${path}/: ${begun.status} ${begun.text}`)
  // an address that is absolute names the gateway that answered
  const file = location.replace(/^.*\/api/, '')
  for (let at = 0; at < archive.length; at = await offsetOf(caller, file, archive.length)) {
    const piece = archive.subarray(at, at + Math.ceil(archive.length / pieces))
    const type = { 'content-type': 'application/offset+octet-stream' }
    const sent = { raw: piece, headers: { ...tus, ...type, 'upload-offset': String(at) } }
    const { status, attempts, text } = await caller.send('PATCH', file, sent)
    if (status !== 204 && attempts === 1) throw new Error(`PATCH ${file}: ${status} ${text}`)
  }
  return finish(caller, path)
}

/** A file that is whole is known no more as one that arrives. */
async function offsetOf(caller: Caller, file: string, length: number): Promise<number> {
  const { status, headers } = await caller.send('HEAD', file, { headers: tus })
  return status === 404 ? length : Number(headers.get('upload-offset'))
}

/** Named in a bucket of the person. */
const fromBucket: Bring = async (caller, id, { pictures, storage_id }) => {
  const server_files = pictures.map(({ name }) => name)
  const json = { cloud_storage_id: storage_id, server_files, image_quality: 70, use_cache: true }
  const answer = await caller.send('POST', `/tasks/${id}/data`, { json })
  if (answer.status >= 300 && answer.attempts > 1) return unsure
  if (answer.status >= 300) throw new Error(`POST /tasks/N/data: ${answer.status} ${answer.text}`)
  return caller.ended(answer.body.rq_id)
}

async function finish(caller: Caller, path: string): Promise<Json | undefined> {
  const answer = await caller.send('POST', path, { headers: { 'upload-finish': '1' } })
  if (answer.status >= 300 && answer.attempts > 1) return unsure
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
  return caller.ended(answer.body.rq_id)
}

export const ways: Record<string, Bring> = { asForm, asForms, inPieces, fromBucket }
