import { listeningOrigin } from '@reticle/kit/net/links'
import { netsSetting } from '@reticle/kit/outgoing/guard'
import { egressProxy } from '@reticle/kit/outgoing/tunnel'
import { addressPart, databasePart, internalPart, kafkaNeeded } from '@reticle/kit/process/settings'
import { setting } from '@reticle/kit/settings/config'
import { defineSettings } from '@reticle/kit/settings/parts'
import { z } from 'zod'

/** Waits of the default schedule, in seconds: nine attempts over four days. */
const retries = '5,300,1800,10800,86400,86400,86400,86400'

/** Reads the settings of webhooks-svc from the environment. */
export const readConfig = defineSettings(
  z.object({
    RETICLE_HOST: z.string().default('127.0.0.1'),
    RETICLE_PORT: z.string().default('8080'),
    RETICLE_PUBLIC_URL: setting.publicUrl(),
    RETICLE_SECRET_KEYS: z.string({ error: 'needed: <id>:<base64 of 32 bytes>' }),
    RETICLE_WEBHOOKS_ALLOW_HTTP: setting.flag(false),
    RETICLE_WEBHOOKS_ALLOWED_NETS: netsSetting,
    RETICLE_EGRESS_PROXY: egressProxy,
    RETICLE_WEBHOOKS_RETRY_SECONDS: z
      .string()
      .regex(/^\s*\d{1,9}\s*(,\s*\d{1,9}\s*)*$/, 'Expected seconds separated by commas')
      .default(retries)
      .transform((text) => text.split(',').map(Number)),
    RETICLE_WEBHOOKS_DISABLE_AFTER_HOURS: setting.whole(0, 0),
    RETICLE_WEBHOOKS_PER_PROJECT: setting.whole(100, 0),
    RETICLE_WEBHOOKS_PER_ORGANIZATION: setting.whole(500, 0),
    RETICLE_WEBHOOKS_EVENTS_RETENTION_DAYS: setting.whole(365, 1),
  }),
  (given) => {
    const listening = listeningOrigin(given.RETICLE_HOST, given.RETICLE_PORT)
    return {
      /**
       * Scheme, host and port by which clients reach the service, without a trailing slash; base of the links in
       * payloads.
       */
      publicUrl: (given.RETICLE_PUBLIC_URL ?? listening).replace(/(?<!\/)\/+$/, ''),
      /** `<id>:<base64>` keys, newest first, separated by commas. */
      secretKeys: given.RETICLE_SECRET_KEYS,
      /** Whether receivers may use plain http; for development. */
      allowHttp: given.RETICLE_WEBHOOKS_ALLOW_HTTP,
      /** Networks that are not public but are allowed as targets. */
      allowedNets: given.RETICLE_WEBHOOKS_ALLOWED_NETS,
      /** Proxy through which receivers are called, with its credentials; absent: none. */
      egressProxy: given.RETICLE_EGRESS_PROXY,
      /** Seconds to wait after the first, second, ... failed attempt. */
      retrySeconds: given.RETICLE_WEBHOOKS_RETRY_SECONDS,
      /** Hours without a success after which a webhook is disabled; 0: never. */
      disableAfterHours: given.RETICLE_WEBHOOKS_DISABLE_AFTER_HOURS,
      /** Maximum number of webhooks of one project. */
      perProject: given.RETICLE_WEBHOOKS_PER_PROJECT,
      /** Maximum number of webhooks of one organization, without those of its projects. */
      perOrganization: given.RETICLE_WEBHOOKS_PER_ORGANIZATION,
      /** Days for which the event log keeps rows. */
      eventsRetentionDays: given.RETICLE_WEBHOOKS_EVENTS_RETENTION_DAYS,
    }
  },
)
export type WebhooksSettings = ReturnType<typeof readConfig>

/** Parts of the configuration that the process of this service reads. */
export const processParts = {
  settings: readConfig,
  database: databasePart('WEBHOOKS'),
  kafka: kafkaNeeded,
  internal: internalPart,
  projects: addressPart('PROJECTS'),
}
