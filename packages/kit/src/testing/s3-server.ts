import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** S3 server on loopback that keeps everything in memory, complete enough to serve as a bucket of a user in tests. */
export interface S3Server {
  /** Address `http://127.0.0.1:<port>`. */
  url: string
  /** Access key of its only account. */
  key: string
  secret: string
  /** Objects of each bucket, by key. */
  buckets: Map<string, Map<string, Buffer>>
  /** Buckets with public read access. */
  open: Set<string>
  /** Read-only buckets. */
  sealed: Set<string>
  /** Stalled buckets: requests to write or read their objects get no response. */
  stalled: Set<string>
  /** Returns keys of uploads in parts that were neither completed nor aborted. */
  unfinished: () => string[]
  /** Returns the number of requests so far. */
  calls: () => number
  close: () => Promise<void>
}

/**
 * Starts the server.
 * @param key access key of the account; a signature is accepted if it names this key
 */
export async function startS3(
  key = 'AKIDTEST',
  secret = 'a secret of the tests',
): Promise<S3Server> {
  const state = {
    key,
    secret,
    buckets: new Map(),
    open: new Set<string>(),
    sealed: new Set<string>(),
    stalled: new Set<string>(),
    uploads: new Map<string, Upload>(),
  }
  let count = 0
  const server = createServer((request, response) => {
    count++
    answer(state, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address?.port}`
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const unfinished = () => [...state.uploads.values()].map((upload) => upload.key)
  return { ...state, url, unfinished, calls: () => count, close }
}

interface Upload {
  key: string
  begun: Date
  parts: Map<number, Buffer>
}

type State = Pick<S3Server, 'key' | 'buckets' | 'open' | 'sealed' | 'stalled'> & {
  uploads: Map<string, Upload>
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://s3')
  const [, name = '', ...rest] = pathname.split('/').map(decodeURIComponent)
  const { method = '' } = request
  const body = await buffer(request)
  const refusal = refusalOf(state, name, request)
  if (refusal) return fail(response, 403, refusal)
  const bucket = state.buckets.get(name)
  if (!bucket) return fail(response, 404, 'NoSuchBucket')
  const object = rest.join('/')
  if (method === 'GET' && query.has('location')) return xml(response, '<LocationConstraint/>')
  if (object === '')
    return query.has('uploads')
      ? listUploads(state.uploads, query, response)
      : list(response, bucket, query)
  const isWrite = !['GET', 'HEAD'].includes(method)
  if (isWrite && state.sealed.has(name)) return fail(response, 403, 'AccessDenied')
  if (['PUT', 'GET'].includes(method) && state.stalled.has(name)) return
  const sent = { method, query, body, bucket, key: object }
  if (query.has('uploads') || query.has('uploadId')) return inParts(state.uploads, sent, response)
  return isWrite ? whole(sent, response) : send(response, bucket.get(object), request)
}

function whole({ method, body, bucket, key }: Sent, response: ServerResponse) {
  if (method === 'DELETE') {
    bucket.delete(key)
    return response.writeHead(204).end()
  }
  bucket.set(key, body)
  return response.writeHead(200, { etag: '"x"' }).end()
}

interface Sent {
  method: string
  query: URLSearchParams
  body: Buffer
  bucket: Map<string, Buffer>
  key: string
}

/** Handles an upload in parts: start, parts, and completion or abort. */
function inParts(
  uploads: Map<string, Upload>,
  { method, query, body, bucket, key }: Sent,
  response: ServerResponse,
) {
  const id = query.get('uploadId') ?? randomUUID()
  if (query.has('uploads')) {
    uploads.set(id, { key, begun: new Date(), parts: new Map() })
    return xml(
      response,
      `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    )
  }
  const upload = uploads.get(id)
  if (!upload) return fail(response, 404, 'NoSuchUpload')
  const { parts } = upload
  if (method === 'GET') return listParts(parts, response)
  if (method === 'PUT') {
    parts.set(Number(query.get('partNumber')), body)
    return response.writeHead(200, { etag: `"${md5(body)}"` }).end()
  }
  if (method === 'POST') {
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<.*?<ETag>"?(\w+)/gs)]
    const chosen = named.map(([, part, etag]) => ({ bytes: parts.get(Number(part)), etag }))
    if (chosen.some(({ bytes, etag }) => !bytes || md5(bytes) !== etag))
      return fail(response, 400, 'InvalidPart')
    bucket.set(key, Buffer.concat(chosen.flatMap(({ bytes }) => bytes ?? [])))
  }
  uploads.delete(id)
  if (method === 'DELETE') return response.writeHead(204).end()
  return xml(
    response,
    '<CompleteMultipartUploadResult><Location>here</Location><ETag>"x"</ETag></CompleteMultipartUploadResult>',
  )
}

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

function listParts(parts: Map<number, Buffer>, response: ServerResponse) {
  const shown = [...parts]
    .sort(([one], [other]) => one - other)
    .map(
      ([part, bytes]) =>
        `<Part><PartNumber>${part}</PartNumber><ETag>"${md5(bytes)}"</ETag><Size>${bytes.length}</Size></Part>`,
    )
  return xml(response, `<ListPartsResult><Bucket/>${shown.join('')}</ListPartsResult>`)
}

function listUploads(
  uploads: Map<string, Upload>,
  query: URLSearchParams,
  response: ServerResponse,
) {
  const prefix = query.get('prefix') ?? ''
  const shown = [...uploads]
    .filter(([, { key }]) => key.startsWith(prefix))
    .map(
      ([id, { key, begun }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begun.toISOString()}</Initiated></Upload>`,
    )
  return xml(
    response,
    `<ListMultipartUploadsResult><Bucket/>${shown.join('')}</ListMultipartUploadsResult>`,
  )
}

function refusalOf({ key, open }: State, bucket: string, { headers }: IncomingMessage) {
  const [, given] = /^AWS4-HMAC-SHA256 Credential=([^/]+)\//.exec(headers.authorization ?? '') ?? []
  if (given === undefined) return open.has(bucket) ? undefined : 'AccessDenied'
  return given === key ? undefined : 'InvalidAccessKeyId'
}

function send(
  response: ServerResponse,
  bytes: Buffer | undefined,
  { headers, method }: IncomingMessage,
) {
  if (!bytes) return fail(response, 404, 'NoSuchKey')
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  const start = Number(first ?? 0)
  const part = bytes.subarray(start, last ? Number(last) + 1 : undefined)
  if (first && start >= bytes.length) return fail(response, 416, 'InvalidRange')
  const head = { etag: '"x"', 'last-modified': new Date(0).toUTCString() }
  const range = `bytes ${start}-${start + part.length - 1}/${bytes.length}`
  response.writeHead(first ? 206 : 200, {
    ...head,
    'content-length': part.length,
    ...(first && { 'content-range': range }),
  })
  return response.end(method === 'HEAD' ? undefined : part)
}

function list(response: ServerResponse, bucket: Map<string, Buffer>, query: URLSearchParams) {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  const token = query.get('continuation-token')
  if (token !== null && !/^t[\w-]*$/.test(token)) return fail(response, 400, 'InvalidArgument')
  const after = token === null ? '' : Buffer.from(token.slice(1), 'base64url').toString()
  const entry = (key: string) => {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    return end < 0 ? key : key.slice(0, end + 1)
  }
  const all = [...bucket.keys()].filter((key) => key.startsWith(prefix)).map(entry)
  const rest = [...new Set(all)].sort().filter((one) => one > after)
  const page = rest.slice(0, Number(query.get('max-keys') ?? 1000))
  const next = `t${Buffer.from(page.at(-1) ?? '').toString('base64url')}`
  const shown = page.map((one) => {
    const name = encodeURIComponent(one)
    if (delimiter && one.endsWith(delimiter) && one !== prefix)
      return `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`
    const size = bucket.get(one)?.length ?? 0
    return `<Contents><Key>${name}</Key><Size>${size}</Size><ETag>"x"</ETag><LastModified>1970-01-01T00:00:00.000Z</LastModified></Contents>`
  })
  const isTruncated = page.length < rest.length
  const more = isTruncated ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''
  return xml(
    response,
    `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${more}${shown.join('')}</ListBucketResult>`,
  )
}

function fail(response: ServerResponse, status: number, code: string) {
  return response.writeHead(status, type).end(`<Error><Code>${code}</Code><Message/></Error>`)
}

const type = { 'content-type': 'application/xml' }
const xml = (response: ServerResponse, text: string) => response.writeHead(200, type).end(text)
