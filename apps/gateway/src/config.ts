import { setting } from '@reticle/kit/config'
import { rowsOfAll } from '@reticle/kit/list/page'
import { part } from '@reticle/kit/process/parts'
import { addressPart, internalPart, s3Needed } from '@reticle/kit/process/settings'
import { z } from 'zod'
import { dialects } from './dialects/all.ts'

const mebibyte = 1024 * 1024

/** Scheme, host and port of pages on other sites; a pattern or `*` would let any page act with somebody's cookies. */
const origins = setting.list().transform((given, context) => {
  const wrong = given.filter(
    (one) => one.includes('*') || !URL.canParse(one) || new URL(one).origin !== one,
  )
  if (wrong.length === 0) return given
  context.addIssue(`Expected origins such as https://app.example.org, got ${wrong.join(', ')}`)
  return z.NEVER
})

/** `cvat.example.org=cvat`: names of hosts and what is spoken on calls to them. */
const dialectHosts = setting.list().transform((given, context) => {
  const hosts = given.map((one) => one.toLowerCase().split('='))
  const isWrong = ([host = '', name = '', ...more]: string[]) =>
    !/^[\w.-]+$/.test(host) || !dialects.has(name) || more.length > 0
  const wrong = hosts.filter(isWrong).map((one) => one.join('='))
  if (wrong.length === 0) return new Map(hosts.map(([host = '', name = '']) => [host, name]))
  const known = [...dialects.keys()].join(', ')
  context.addIssue(
    `Expected hosts and dialects (${known}) such as cvat.example.org=cvat, got ${wrong.join(', ')}`,
  )
  return z.NEVER
})

/** What the gateway is told at start (`reliability.md` 16.5). Rates are calls a minute, 0 is no limit. */
export const readConfig = part(
  z.object({
    RETICLE_HOST: z.string().default('127.0.0.1'),
    RETICLE_PORT: setting.port(8080),
    RETICLE_GATEWAY_TRUST_PROXY: setting.whole(0, 0, 32),
    RETICLE_GATEWAY_CORS_ORIGINS: origins,
    RETICLE_GATEWAY_DIALECT_HOSTS: dialectHosts,
    RETICLE_GATEWAY_MAX_BODY: setting.whole(2 * mebibyte, 0),
    RETICLE_GATEWAY_MAX_ANNOTATIONS_BODY: setting.whole(512 * mebibyte, 0),
    RETICLE_GATEWAY_MAX_MULTIPART: setting.whole(1024 * mebibyte, 0),
    RETICLE_GATEWAY_MAX_UPLOAD: setting.whole(25 * 1024 * mebibyte, 0),
    RETICLE_GATEWAY_RATE_ANONYMOUS: setting.whole(100, 0),
    RETICLE_GATEWAY_RATE_AUTH: setting.whole(20, 0),
    RETICLE_GATEWAY_RATE_USER: setting.whole(1200, 0),
    RETICLE_GATEWAY_RATE_ANNOTATIONS: setting.whole(0, 0),
    RETICLE_GATEWAY_DISK_USAGE_MAX: setting.whole(90, 1, 100),
    RETICLE_PAGE_SIZE_MAX: setting.whole(1000, 1, rowsOfAll),
    RETICLE_S3_PRESIGN: setting.flag(false),
  }),
  (given) => ({
    host: given.RETICLE_HOST,
    /** 0 picks a free port. */
    port: given.RETICLE_PORT,
    /** Proxies in front whose `X-Forwarded-*` headers are believed. */
    trustedHops: given.RETICLE_GATEWAY_TRUST_PROXY,
    /** Pages on these may call with the user's cookies. */
    corsOrigins: given.RETICLE_GATEWAY_CORS_ORIGINS,
    /** What is spoken on calls to these hosts, by their names. */
    dialectHosts: given.RETICLE_GATEWAY_DIALECT_HOSTS,
    maxBodyBytes: given.RETICLE_GATEWAY_MAX_BODY,
    maxAnnotationsBodyBytes: given.RETICLE_GATEWAY_MAX_ANNOTATIONS_BODY,
    maxMultipartBytes: given.RETICLE_GATEWAY_MAX_MULTIPART,
    /** Of one file that is sent in pieces. */
    maxUploadBytes: given.RETICLE_GATEWAY_MAX_UPLOAD,
    /** Per client address. */
    rateAnonymous: given.RETICLE_GATEWAY_RATE_ANONYMOUS,
    /** Signing in, per client address. */
    rateAuth: given.RETICLE_GATEWAY_RATE_AUTH,
    /** Per user. */
    rateUser: given.RETICLE_GATEWAY_RATE_USER,
    /** Reading annotation sets, per user; beside the limit of the user. */
    rateAnnotations: given.RETICLE_GATEWAY_RATE_ANNOTATIONS,
    /** Percent of the disk above which health says so. */
    diskUsageMax: given.RETICLE_GATEWAY_DISK_USAGE_MAX,
    /** Rows of one page at most. */
    pageSizeMax: given.RETICLE_PAGE_SIZE_MAX,
    /** Downloads are sent to the object store by an address that expires, where it has such addresses. */
    presign: given.RETICLE_S3_PRESIGN,
    /** A request that is no stream has to arrive within this time. */
    requestTimeoutMs: 30_000,
    /** A client that neither sends what it announced nor reads its answer for this time is cut. */
    idleTimeoutMs: 60_000,
    /** Calls that run when the server stops get this time to end. */
    stopWithinMs: 20_000,
    /** Calls are refused while the event loop is later than this on average of a second; 0 never refuses. */
    loopDelayMs: 1000,
  }),
)
export type GatewaySettings = ReturnType<typeof readConfig>

/** What the process of the gateway reads. */
export const processParts = {
  settings: readConfig,
  s3: s3Needed,
  internal: internalPart,
  projects: addressPart('PROJECTS'),
  annotations: addressPart('ANNOTATIONS'),
  jobs: addressPart('JOBS'),
  webhooks: addressPart('WEBHOOKS'),
}
