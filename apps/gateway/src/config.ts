import { rowsOfAll } from '@reticle/kit/list/page'
import { addressPart, internalPart, s3Needed } from '@reticle/kit/process/settings'
import { setting } from '@reticle/kit/settings/config'
import { defineSettings } from '@reticle/kit/settings/parts'
import { z } from 'zod'
import { dialects } from './dialects/all.ts'

const mebibyte = 1024 * 1024

/**
 * Scheme, host and port of allowed origins. Patterns and `*` are refused, because they would let any page use the
 * cookies of a user.
 */
const origins = setting.list().transform((given, context) => {
  const wrong = given.filter(
    (one) => one.includes('*') || !URL.canParse(one) || new URL(one).origin !== one,
  )
  if (wrong.length === 0) return given
  context.addIssue(`Expected origins such as https://app.example.org, got ${wrong.join(', ')}`)
  return z.NEVER
})

/** Host names and the dialects that they serve: `cvat.example.org=cvat`. */
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

/** Reads the settings of the gateway. Rates are requests per minute; 0 means no limit. */
export const readConfig = defineSettings(
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
    /** 0 selects a free port. */
    port: given.RETICLE_PORT,
    /** Number of trusted proxies whose `X-Forwarded-*` headers are used. */
    trustedHops: given.RETICLE_GATEWAY_TRUST_PROXY,
    /** Origins whose pages may call with the user's cookies. */
    corsOrigins: given.RETICLE_GATEWAY_CORS_ORIGINS,
    /** Dialects by host name. */
    dialectHosts: given.RETICLE_GATEWAY_DIALECT_HOSTS,
    maxBodyBytes: given.RETICLE_GATEWAY_MAX_BODY,
    maxAnnotationsBodyBytes: given.RETICLE_GATEWAY_MAX_ANNOTATIONS_BODY,
    maxMultipartBytes: given.RETICLE_GATEWAY_MAX_MULTIPART,
    /** Maximum size of one file of a resumable upload. */
    maxUploadBytes: given.RETICLE_GATEWAY_MAX_UPLOAD,
    /** Per client address. */
    rateAnonymous: given.RETICLE_GATEWAY_RATE_ANONYMOUS,
    /** For signing in, per client address. */
    rateAuth: given.RETICLE_GATEWAY_RATE_AUTH,
    /** Per user. */
    rateUser: given.RETICLE_GATEWAY_RATE_USER,
    /** For reading annotation sets, per user, in addition to the limit of the user. */
    rateAnnotations: given.RETICLE_GATEWAY_RATE_ANNOTATIONS,
    /** Percentage of the disk above which the health route reports a problem. */
    diskUsageMax: given.RETICLE_GATEWAY_DISK_USAGE_MAX,
    /** Maximum number of rows of a page. */
    pageSizeMax: given.RETICLE_PAGE_SIZE_MAX,
    /** True to redirect downloads to presigned URLs of the object store, if it supports them. */
    presign: given.RETICLE_S3_PRESIGN,
    /** Timeout for receiving a request that is not a stream. */
    requestTimeoutMs: 30_000,
    /** Timeout after which a client is disconnected that neither sends its body nor reads its response. */
    idleTimeoutMs: 60_000,
    /** Time that running requests get to complete when the server stops. */
    stopWithinMs: 20_000,
    /** Average event loop delay within a second above which requests are refused; 0 disables this. */
    loopDelayMs: 1000,
  }),
)
export type GatewaySettings = ReturnType<typeof readConfig>

/** Configuration parts of the gateway process. */
export const processParts = {
  settings: readConfig,
  s3: s3Needed,
  internal: internalPart,
  projects: addressPart('PROJECTS'),
  annotations: addressPart('ANNOTATIONS'),
  jobs: addressPart('JOBS'),
  webhooks: addressPart('WEBHOOKS'),
}
