/** Returns a random number from 0 to below its argument; the same seed gives the same sequence (mulberry32). */
export function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Random = ReturnType<typeof randomOf>

/** Pieces of every list, parameter and quoted string of HTTP. */
const common = [
  ' ',
  '\t',
  ',',
  ';',
  '=',
  '"',
  '\\"',
  '""',
  ', ',
  '; ',
  '/',
  '-',
  '.',
  ':',
  '%',
  '(',
]

const media = [
  ...['application/json', 'application/vnd.cvat+json', 'application/problem+json', 'text/html'],
  ...['application/vnd.', '*/*', 'a/*', '+json', ';q=0', ';q=0.000', ';version=2.0', ';level="'],
]
const form = ['multipart/form-data', '; boundary=', ';boundary="', 'boundary', '; charset=utf-8']
const tags = ['"a"', 'W/"a"', 'W/', '*', '"', '\\', '"a" ,', '""']
const encodings = ['gzip', 'br', 'zstd', 'identity', '*', ';q=0', ';q=0.', '0', ';q=1.000']
const addresses = ['10.0.0.1', '::1', '[::1]', '::ffff:', 'fe80::1%', '1', '256.', ':', '0x7f']
const credentials = ['Basic ', 'Token ', 'Bearer ', 'Digest ', 'YTpi', '====', 'abcdefgh.', 'a b']
const base64 = ['filename ', 'YWJj', '====', 'filetype ', ' ', 'Zg', ',', '\u00e9']
const hosts = [
  'http://',
  'https://',
  'a.',
  '.a',
  ':1',
  ':99999',
  '[::1]',
  '/..',
  '?',
  '#',
  '@',
  '%41',
]
const numbers = ['0', '1', '9', '-', '+', '.', 'e', ' ', '0x', '18446744073709551616']
const dates = ['Sun, ', '06 ', 'Nov ', '1994 ', '08:49:37 ', 'GMT', '0', ' ']
const words = [
  'a',
  'A',
  '-',
  '_',
  '0',
  'POST',
  'GET',
  'no-cache',
  'max-age=0',
  'close',
  'keep-alive',
]
const traces = ['00-', 'ff-', '0af7651916cd43dd8448eb211c80319c', '-01', 'a=b', 'a@b=', ',']
const agents = ['Mozilla/5.0 ', '(', ')', ';', '(compatible; ', 'rv:', '/']
const forwarded = ['for=', 'for="[::1]"', ';by=', ';proto=https', ';host=', ...addresses]

/** Every header that the gateway or one of its libraries reads, with pieces of its values. */
export const grammars: Readonly<Record<string, readonly string[]>> = {
  accept: media,
  'accept-encoding': encodings,
  'accept-language': ['de', 'en-GB', '-', '*', ';q=0.', '0'],
  'access-control-request-headers': words,
  'access-control-request-method': words,
  authorization: credentials,
  'cache-control': words,
  'content-encoding': encodings,
  'content-type': [...media, ...form],
  cookie: ['sessionid=', 'csrftoken=', 'a', '; ', ';', '="', '%3D', '__Host-'],
  expect: ['100-continue', ' ', ','],
  forwarded,
  host: hosts,
  'idempotency-key': [...words, '"', '\\'],
  'if-match': tags,
  'if-modified-since': dates,
  'if-none-match': tags,
  'if-range': [...tags, ...dates],
  origin: hosts,
  prefer: ['handling=', 'respond-async', 'wait=', '1', 'return=minimal'],
  range: ['bytes', 'bytes=', '0-', '-1', '0-0', '1-1,', '9', ' - '],
  referer: hosts,
  traceparent: traces,
  tracestate: traces,
  'tus-resumable': ['1.0.0', '1.', '0', ','],
  'upload-checksum': ['sha1 ', 'sha256 ', 'md5', ...base64],
  'upload-concat': ['partial', 'final;', '/files/a ', ...hosts],
  'upload-defer-length': numbers,
  'upload-finish': numbers,
  'upload-length': numbers,
  'upload-metadata': base64,
  'upload-multiple': numbers,
  'upload-offset': numbers,
  'upload-start': numbers,
  'user-agent': agents,
  'x-csrftoken': words,
  'x-forwarded-for': addresses,
  'x-forwarded-host': hosts,
  'x-forwarded-proto': ['https', 'http', ' ', ','],
  'x-http-method-override': words,
  'x-organization': [...words, '\u00e9'],
  'x-request-id': words,
}

/** Headers of a part of a multipart form, with pieces of their values. */
export const partGrammars: Readonly<Record<string, readonly string[]>> = {
  'Content-Disposition': [
    ...['form-data', '; name=', '; name="a"', '; filename=', '; filename="a.png"', '; filename*='],
    ...["UTF-8''", '%e2%82%ac', '\\\\', 'C:\\', '../', ';'],
  ],
  'Content-Type': [...media, ...form],
  'Content-Transfer-Encoding': ['base64', '7bit', 'binary', ' '],
  'X-Other': [...words, '\r\n ', '\r\n\t'],
}

/** Generates a value of limited length: random characters, pieces, and runs of one piece. */
export function headerValue(pieces: readonly string[], length: number, random: Random): string {
  const known = [...pieces, ...common]
  const piece = () => known[random(known.length)] ?? ''
  const character = () => String.fromCharCode(0x20 + random(0x5f))
  const kinds = [
    piece,
    () => piece().repeat(1 + random(50)),
    () => Array.from({ length: 1 + random(20) }, character).join(''),
    () => (piece() + piece()).repeat(1 + random(50)),
  ]
  const own = random(kinds.length + 2) // some values have one kind of content, most are mixed
  const run = piece()
  if (own === kinds.length) return (piece() + run.repeat(length)).slice(0, length - 1) + piece()[0]
  let text = ''
  while (text.length < length) text += (kinds[own] ?? kinds[random(kinds.length)] ?? piece)()
  return text.slice(0, length)
}
