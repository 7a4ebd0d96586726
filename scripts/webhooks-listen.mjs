import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { isGenuine, portOf } from './demo/receiver.mjs'

/** @typedef {{type: 'string', default: string}} Text */
/** @typedef {{type: 'boolean', default: boolean}} Flag */
/** @typedef {import('node:http').IncomingHttpHeaders} Headers */

const usage = `npm run webhooks:listen -- [options]

A receiver of webhooks on this machine: prints every delivery, whether its signature is right, and
which numbers are missing.

  --port N      where it listens on 127.0.0.1; default: 9000
  --secret S    the secret of the webhook; without it nothing is verified
  --answer N    the status it answers; default: 204. With 500 deliveries are tried again
  --bodies      prints the payloads as well

A webhook may lead here where Reticle is started with RETICLE_WEBHOOKS_ALLOW_HTTP=true and
RETICLE_WEBHOOKS_ALLOWED_NETS=127.0.0.0/8.`

/** @type {{port: Text, secret: Text, answer: Text, bodies: Flag, help: Flag}} */
const options = {
  port: { type: 'string', default: '9000' },
  secret: { type: 'string', default: '' },
  answer: { type: 'string', default: '204' },
  bodies: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
}
const given = readOptions()
/** Highest sequence number received of each webhook. */
const seen = new Map()

const server = createServer(async (request, response) => {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  print(request.headers, Buffer.concat(pieces))
  response.writeHead(Number(given.answer)).end()
})
server.on('error', (/** @type {NodeJS.ErrnoException} */ { code }) => {
  const isTaken = code === 'EADDRINUSE'
  console.error(isTaken ? `Port ${given.port} is taken: choose another with --port.` : code)
  process.exit(1)
})
server.listen(Number(given.port), '127.0.0.1', () =>
  console.log(`Listening for webhooks at http://127.0.0.1:${portOf(server)}/`),
)

function readOptions() {
  const values = parseWords()
  const { help, port, answer } = values
  const isGood = /^\d{1,5}$/.test(port) && /^[2-5]\d\d$/.test(answer)
  if (help || !isGood) {
    console[help ? 'log' : 'error'](usage)
    process.exit(help ? 0 : 2)
  }
  return values
}

function parseWords() {
  try {
    return parseArgs({ options }).values
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${usage}`)
    return process.exit(2)
  }
}

/**
 * @param {Headers} headers
 * @param {Buffer} body
 */
function print(headers, body) {
  const number = Number(headers['x-webhook-sequence'])
  const event = headers['x-webhook-event'] ?? 'no event of a webhook'
  const time = new Date().toISOString().slice(11, 19)
  console.log(
    `${time} webhook ${headers['x-webhook-id']} #${number} ${event}: ${verdict(headers, body)}${gap(headers, number)}`,
  )
  if (given.bodies) console.log(body.toString())
}

/**
 * @param {Headers} headers
 * @param {Buffer} body
 */
function verdict(headers, body) {
  const signature = headers['x-signature-256']
  if (!given.secret) return signature ? 'signed, not verified' : 'not signed'
  if (!signature) return 'NOT SIGNED'
  return isGenuine(signature, body, given.secret) ? 'signed as it should be' : 'WRONG SIGNATURE'
}

/**
 * First attempts of different objects may overtake each other, so a missing message may still arrive.
 * @param {Headers} headers
 * @param {number} number
 */
function gap(headers, number) {
  const id = headers['x-webhook-id']
  const before = seen.get(id)
  seen.set(id, Math.max(before ?? 0, number))
  if (before === undefined || number <= before + 1) return ''
  return number === before + 2
    ? `, missing #${before + 1}`
    : `, missing #${before + 1} to #${number - 1}`
}
