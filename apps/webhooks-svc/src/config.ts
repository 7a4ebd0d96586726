import { readEnv, setting } from '@reticle/kit/config'
import { listeningOrigin } from '@reticle/kit/links'
import { type Net, readNets } from '@reticle/kit/outgoing/guard'
import { addressPart, databasePart, internalPart, kafkaNeeded } from '@reticle/kit/process/settings'
import { z } from 'zod'

/** What webhooks-svc is told at start (`reliability.md` 16.5). */
export interface WebhooksSettings {
  /** Scheme, host and port by which clients reach the service, without a slash at the end: links in payloads. */
  publicUrl: string
  /** `<id>:<base64>`, newest first, separated by commas. */
  secretKeys: string
  /** Receivers may be on plain http: for development. */
  allowHttp: boolean
  /** Networks that are not public and may be asked all the same. */
  allowedNets: readonly Net[]
  /** Waits after the first, second, ... failed attempt. */
  retrySeconds: readonly number[]
  /** Webhooks a project may have. */
  perProject: number
}

/** Nine attempts over four days (`spec/api-annotations.md` 4.5). */
const retries = '5,300,1800,10800,86400,86400,86400,86400'

const nets = setting.list().transform((blocks, context) => {
  try {
    return readNets(blocks)
  } catch (thrown) {
    context.addIssue(thrown instanceof Error ? thrown.message : 'Invalid networks')
    return z.NEVER
  }
})

const variables = z.object({
  RETICLE_HOST: z.string().default('127.0.0.1'),
  RETICLE_PORT: z.string().default('8080'),
  RETICLE_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  RETICLE_SECRET_KEYS: z.string({ error: 'needed: <id>:<base64 of 32 bytes>' }),
  RETICLE_WEBHOOKS_ALLOW_HTTP: setting.flag(false),
  RETICLE_WEBHOOKS_ALLOWED_NETS: nets,
  RETICLE_WEBHOOKS_RETRY_SECONDS: z
    .string()
    .regex(/^\s*\d{1,9}\s*(,\s*\d{1,9}\s*)*$/, 'Expected seconds separated by commas')
    .default(retries)
    .transform((text) => text.split(',').map(Number)),
  RETICLE_WEBHOOKS_PER_PROJECT: z.coerce.number().int().min(0).default(100),
})

/** Names of environment variables that mean something here. */
export const settingNames = Object.keys(variables.shape)

/** @throws ConfigError naming every variable that cannot be used */
export function readConfig(env: Record<string, string | undefined>): WebhooksSettings {
  const given = readEnv(variables, env)
  const listening = listeningOrigin(given.RETICLE_HOST, given.RETICLE_PORT)
  return {
    publicUrl: (given.RETICLE_PUBLIC_URL ?? listening).replace(/\/+$/, ''),
    secretKeys: given.RETICLE_SECRET_KEYS,
    allowHttp: given.RETICLE_WEBHOOKS_ALLOW_HTTP,
    allowedNets: given.RETICLE_WEBHOOKS_ALLOWED_NETS,
    retrySeconds: given.RETICLE_WEBHOOKS_RETRY_SECONDS,
    perProject: given.RETICLE_WEBHOOKS_PER_PROJECT,
  }
}

/** What the process of this service reads. */
export const processParts = {
  settings: Object.assign(readConfig, { names: settingNames }),
  database: databasePart('WEBHOOKS'),
  kafka: kafkaNeeded,
  internal: internalPart,
  projects: addressPart('PROJECTS'),
}

/** The environment of this process. */
export const environment: Record<string, string | undefined> = process.env
