import type { ApiClient, ApiResponse } from './client.ts'

export const tus = { 'tus-resumable': '1.0.0' }
const chunkType = 'application/offset+octet-stream'

export const metadata = (filename: string) => `filename ${Buffer.from(filename).toString('base64')}`

/** Starts an upload below a path that ends in a slash. */
export const begin = (
  api: ApiClient,
  path: string,
  { name, length }: { name: string; length: number },
): Promise<ApiResponse> =>
  api.call('POST', path, {
    headers: { ...tus, 'upload-length': String(length), 'upload-metadata': metadata(name) },
  })

/** Sends bytes to the address of an upload. */
export const sendChunk = (
  api: ApiClient,
  location: string,
  offset: number,
  bytes: Uint8Array,
): Promise<ApiResponse> =>
  api.call('PATCH', location, {
    raw: bytes,
    headers: { ...tus, 'upload-offset': String(offset), 'content-type': chunkType },
  })

/** Uploads a whole file in chunks; returns its `Upload-Filename`. */
export async function sendFile(
  api: ApiClient,
  path: string,
  { name, bytes }: { name: string; bytes: Uint8Array },
  pieceBytes = 10 * 1024 * 1024,
): Promise<string> {
  const created = await begin(api, path, { name, length: bytes.length })
  const location = created.headers.get('location')
  if (created.status !== 201 || !location) throw new Error(`${created.status} ${created.text}`)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const sent = await sendChunk(api, location, at, bytes.subarray(at, at + pieceBytes))
    if (sent.status !== 204) throw new Error(`${sent.status} ${sent.text}`)
  }
  return created.headers.get('upload-filename') ?? ''
}
