import { storedZip } from '@reticle/tests/support/archives'
import type { AnyJson } from '@reticle/tests/support/client'
import { formOf, type ImageFile } from '@reticle/tests/support/pictures'
import { tus } from '@reticle/tests/support/tus'
import type { DayCaller } from './day-caller.ts'

/** Sources of images for a task. */

export interface DayMedia {
  pictures: readonly ImageFile[]
  /** Cloud storage that has the same images. */
  storage_id: number
}

/**
 * Attaches the images to a new task and waits for its frames. Returns undefined if it is unknown which of them arrived.
 */
export type AttachMedia = (
  caller: DayCaller,
  id: number,
  around: DayMedia,
) => Promise<AnyJson | undefined>

const unsure = undefined

/** Sends one form, repeated under its idempotency key. */
const asForm: AttachMedia = async (caller, id, { pictures }) => {
  const sent = { form: formOf([...pictures]) }
  const answer = await caller.send('POST', `/tasks/${id}/data`, sent)
  // After a crash a repeated upload is stored again, and a task that already has media refuses it.
  if (answer.status >= 300 && answer.attempts > 1) return unsure
  if (answer.status >= 300) throw new Error(`POST /tasks/N/data: ${answer.status} ${answer.text}`)
  return caller.ended(answer.body.rq_id)
}

/** Sends one form per image, between a starting and a finishing call. */
const asForms: AttachMedia = async (caller, id, { pictures }) => {
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

/** Sends an archive in chunks, each from the offset that the server reports. */
const inPieces: AttachMedia = async (caller, id, { pictures }) => {
  const path = `/tasks/${id}/data`
  const archive = storedZip(pictures)
  await caller.done('POST', path, { headers: { 'upload-start': '1' } })
  const name = Buffer.from('pictures.zip').toString('base64')
  const headers = { 'upload-length': String(archive.length), 'upload-metadata': `filename ${name}` }
  const created = await caller.send('POST', `${path}/`, { headers: { ...tus, ...headers } })
  const location = created.headers.get('location')
  if (created.attempts > 1) return unsure
  if (!location) throw new Error(`POST ${path}/: ${created.status} ${created.text}`)
  // an absolute address names the gateway that answered
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

/** A completed upload is no longer found by its address. */
async function offsetOf(caller: DayCaller, file: string, length: number): Promise<number> {
  const { status, headers } = await caller.send('HEAD', file, { headers: tus })
  return status === 404 ? length : Number(headers.get('upload-offset'))
}

/** Names images in a bucket of the user. */
const fromBucket: AttachMedia = async (caller, id, { pictures, storage_id }) => {
  const server_files = pictures.map(({ name }) => name)
  const json = { cloud_storage_id: storage_id, server_files, image_quality: 70, use_cache: true }
  const answer = await caller.send('POST', `/tasks/${id}/data`, { json })
  if (answer.status >= 300 && answer.attempts > 1) return unsure
  if (answer.status >= 300) throw new Error(`POST /tasks/N/data: ${answer.status} ${answer.text}`)
  return caller.ended(answer.body.rq_id)
}

async function finish(caller: DayCaller, path: string): Promise<AnyJson | undefined> {
  const answer = await caller.send('POST', path, { headers: { 'upload-finish': '1' } })
  if (answer.status >= 300 && answer.attempts > 1) return unsure
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
  return caller.ended(answer.body.rq_id)
}

export const ways: Record<string, AttachMedia> = { asForm, asForms, inPieces, fromBucket }
