import { readEnv, setting } from '@reticle/kit/config'
import { addressPart, internalPart, s3Needed } from '@reticle/kit/process/settings'
import { z } from 'zod'

/** What the gateway is told at start (`reliability.md` 16.5). Sizes are bytes, times milliseconds, rates calls a minute. */
export interface GatewaySettings {
  host: string
  /** 0 picks a free port. */
  port: number
  /** Proxies in front whose `X-Forwarded-*` headers are believed. */
  trustedHops: number
  maxBody: number
  maxAnnotationsBody: number
  maxMultipart: number
  /** Per client address; 0 is no limit, here and below. */
  rateAnonymous: number
  /** Signing in, per client address. */
  rateAuth: number
  /** Per user. */
  rateUser: number
  /** A request that is no stream has to arrive within this time. */
  requestTimeout: number
  /** A stream on which nothing moves for this time is cut. */
  idleTimeout: number
  /** Downloads are sent to the object store by an address that expires, where it has such addresses. */
  presign: boolean
  /** Calls are refused while the event loop is later than this on average of a second; 0 never refuses. */
  loopDelay: number
}

const mebibyte = 1024 * 1024
const whole = (fallback: number, max = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().int().min(0).max(max).default(fallback)

const variables = z.object({
  RETICLE_HOST: z.string().default('127.0.0.1'),
  RETICLE_PORT: whole(8080, 65_535),
  RETICLE_GATEWAY_TRUST_PROXY: whole(0, 32),
  RETICLE_GATEWAY_MAX_BODY: whole(2 * mebibyte),
  RETICLE_GATEWAY_MAX_ANNOTATIONS_BODY: whole(512 * mebibyte),
  RETICLE_GATEWAY_MAX_MULTIPART: whole(1024 * mebibyte),
  RETICLE_GATEWAY_RATE_ANONYMOUS: whole(100),
  RETICLE_GATEWAY_RATE_AUTH: whole(20),
  RETICLE_GATEWAY_RATE_USER: whole(1200),
  RETICLE_S3_PRESIGN: setting.flag(false),
})

/** Names of environment variables that mean something here. */
export const settingNames = Object.keys(variables.shape)

/**
 * Reads the gateway's settings.
 *
 * @throws ConfigError naming every variable that cannot be used
 */
export function readConfig(env: Record<string, string | undefined>): Readonly<GatewaySettings> {
  const given = readEnv(variables, env)
  return Object.freeze({
    host: given.RETICLE_HOST,
    port: given.RETICLE_PORT,
    trustedHops: given.RETICLE_GATEWAY_TRUST_PROXY,
    maxBody: given.RETICLE_GATEWAY_MAX_BODY,
    maxAnnotationsBody: given.RETICLE_GATEWAY_MAX_ANNOTATIONS_BODY,
    maxMultipart: given.RETICLE_GATEWAY_MAX_MULTIPART,
    rateAnonymous: given.RETICLE_GATEWAY_RATE_ANONYMOUS,
    rateAuth: given.RETICLE_GATEWAY_RATE_AUTH,
    rateUser: given.RETICLE_GATEWAY_RATE_USER,
    presign: given.RETICLE_S3_PRESIGN,
    requestTimeout: 30_000,
    idleTimeout: 60_000,
    loopDelay: 1000,
  })
}

/** What the process of the gateway reads. */
export const processParts = {
  settings: Object.assign(readConfig, { names: settingNames }),
  s3: s3Needed,
  internal: internalPart,
  projects: addressPart('PROJECTS'),
  annotations: addressPart('ANNOTATIONS'),
  jobs: addressPart('JOBS'),
  webhooks: addressPart('WEBHOOKS'),
}

/** The environment of this process. */
export const environment: Record<string, string | undefined> = process.env
