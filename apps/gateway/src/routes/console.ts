import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { apiVersion } from '@reticle/contracts/openapi'
import { DomainError } from '@reticle/kit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { listsHtml } from '../plugins/accept.ts'
import { toJson } from '../present.ts'
import { baseOf, originOf } from '../request.ts'

/** Scripts, styles and calls of this site alone; pictures may also be made by the page. */
const policy = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "connect-src 'self'", "font-src 'self'"],
  "img-src 'self' data: blob:",
  ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ')

const yearMs = 365 * 86_400_000

/**
 * The pages of `@reticle/console`. Its assets have their hash in their names, are packed already and kept by browsers; every
 * other address that a browser asks for as a page is the one document, which knows its pages itself. For clients that read no
 * pages, such as load balancers, `/` names the parts of the server.
 */
export async function serveConsole(app: FastifyInstance): Promise<void> {
  const folder = fileURLToPath(new URL('.', import.meta.resolve('@reticle/console/index.html')))
  await app.register(async (scope) => serveAssetsOf(scope, join(folder, 'assets')))
  const document = join(folder, 'index.html')
  app.setNotFoundHandler(async (request, reply) => {
    if (isRoot(request)) return reply.type('application/json').send(toJson(rootOf(request)))
    if (!isPage(request)) throw new DomainError('not_found', 'Not found.')
    reply.headers({ 'cache-control': 'no-cache', 'content-security-policy': policy })
    return reply.type('text/html; charset=utf-8').send(await readFile(document)) // `npm run dev` writes it anew
  })
}

/** They are the same for everybody, so that browsers keep them when somebody signs in or out. */
async function serveAssetsOf(scope: FastifyInstance, root: string): Promise<void> {
  scope.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode < 400) reply.header('vary', 'Accept-Encoding')
  })
  await scope.register(fastifyStatic, {
    root,
    prefix: '/assets/',
    index: false,
    allowedPath: (path) => /^\/[\w-][\w.-]*$/.test(path), // what else there may be is no asset: 404
    preCompressed: true,
    immutable: true,
    maxAge: yearMs,
  })
}

/** Opened by a browser, and no address of the API, which says itself what is not there. */
function isPage(request: FastifyRequest): boolean {
  const isApi = request.mount !== '' || /^\/(api|assets)(\/|\?|$)/.test(request.url)
  return isRead(request) && !isApi && readsPages(request)
}

/** `/`, with or without a query, for a client that reads no pages. */
function isRoot(request: FastifyRequest): boolean {
  const isAtRoot = request.mount === '' && /^\/(\?|$)/.test(request.url)
  return isRead(request) && isAtRoot && !readsPages(request)
}

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'
const readsPages = ({ headers }: FastifyRequest) => listsHtml(headers.accept)

const rootOf = (request: FastifyRequest) => ({
  name: 'Reticle',
  version: apiVersion,
  api: `${baseOf(request)}/`,
  console: `${originOf(request)}/`,
})
