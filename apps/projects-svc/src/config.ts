import { listeningOrigin } from '@reticle/kit/net/links'
import { isLoopback } from '@reticle/kit/net/loopback'
import { netsSetting } from '@reticle/kit/outgoing/guard'
import { egressProxy } from '@reticle/kit/outgoing/tunnel'
import { databasePart, internalPart, kafkaNeeded, s3Needed } from '@reticle/kit/process/settings'
import { setting } from '@reticle/kit/settings/config'
import { defineSettings } from '@reticle/kit/settings/parts'
import { z } from 'zod'

/** `tls`: whether mails, and the SMTP password, may be sent without encryption. */
const tlsWords = ['required', 'offered']

const smtpUrl = z
  .url({
    protocol: /^smtps?$/,
    hostname: /./,
    error: 'Expected smtp://user:password@host:587 or smtps://user:password@host:465.',
  })
  .refine((url) => !URL.canParse(url) || smtpServer(url) !== undefined, {
    error: `Only ?tls=${tlsWords.join(' or ?tls=')} may follow the address.`,
  })

/** `name@host`, or `Some Name <name@host>`. */
const mailbox =
  /^(?:(?<name>[^<>"\p{C}]{0,100}) <(?<address>[^\s<>@\p{C}]+@[^\s<>@\p{C}]+)>|(?<bare>[^\s<>@\p{C}]+@[^\s<>@\p{C}]+))$/u
const variables = z.object({
  RETICLE_PROJECTS_MAX_ACCESS_TOKENS: setting.whole(50, -1),
  RETICLE_PROJECTS_ACCESS_TOKEN_STALE_DAYS: setting.whole(180, 1),
  RETICLE_PROJECTS_REGISTRATION: setting.optionalFlag(),
  RETICLE_PROJECTS_DEFAULT_ROLE: z.enum(['admin', 'user', 'worker', 'none']).default('user'),
  RETICLE_PROJECTS_EMAIL_VERIFICATION: z.enum(['none', 'mandatory']).default('none'),
  RETICLE_HOST: z.string().default('127.0.0.1'),
  RETICLE_PORT: z.string().default('8080'),
  RETICLE_PUBLIC_URL: setting.publicUrl(),
  RETICLE_UI_URL: z.url({ protocol: /^https?$/ }).optional(),
  RETICLE_PROJECTS_MAX_JOBS_PER_TASK: setting.whole(5000, 1),
  RETICLE_PROJECTS_MAX_CONSENSUS_REPLICAS: setting.whole(11, 2),
  RETICLE_PROJECTS_AUTO_IN_PROGRESS: setting.flag(true),
  RETICLE_PROJECTS_EXPORT_RESTRICT_WORKERS: setting.flag(false),
  RETICLE_PROJECTS_ORGANIZATION_MIN_ROLE: z.enum(['admin', 'user', 'worker']).default('user'),
  RETICLE_PROJECTS_INVITATION_EXPIRY_DAYS: setting.whole(7, 1),
  RETICLE_PROJECTS_INVITATION_CONFIRM: z.enum(['no', 'yes']).default('no'),
  RETICLE_PROJECTS_SMTP_URL: smtpUrl.optional(),
  RETICLE_PROJECTS_MAIL_FROM: z
    .string()
    .regex(mailbox, 'Expected name@host or Somebody <name@host>.')
    .optional(),
  RETICLE_STORAGES_ALLOWED_NETS: netsSetting,
  RETICLE_PROJECTS_STORAGE_ADMIN_NETS: netsSetting,
  RETICLE_EGRESS_PROXY: egressProxy,
})

/** `isOnLoopback`: the HTTP server is reachable only from its own machine, so registration is open by default. */
function settingsOf(given: Readonly<z.output<typeof variables>>, isOnLoopback: boolean) {
  const listening = listeningOrigin(given.RETICLE_HOST, given.RETICLE_PORT)
  const publicUrl = withoutSlash(given.RETICLE_PUBLIC_URL ?? listening)
  const uiUrl = withoutSlash(given.RETICLE_UI_URL ?? publicUrl)
  return {
    /** SMTP server and sender of mails; absent: no mails are sent. */
    mail: mailOf(given.RETICLE_PROJECTS_SMTP_URL, given.RETICLE_PROJECTS_MAIL_FROM, publicUrl),
    maxJobsPerTask: given.RETICLE_PROJECTS_MAX_JOBS_PER_TASK,
    /** Limit on replicas of each job of a task. */
    maxConsensusReplicas: given.RETICLE_PROJECTS_MAX_CONSENSUS_REPLICAS,
    /** Whether the first annotation moves a new job to "in progress". */
    autoInProgress: given.RETICLE_PROJECTS_AUTO_IN_PROGRESS,
    cloudStorages: {
      /** Private networks that may hold storages of any user. */
      allowedNets: given.RETICLE_STORAGES_ALLOWED_NETS,
      /** Networks that may hold storages only when an administrator connects them. */
      administratorNets: given.RETICLE_PROJECTS_STORAGE_ADMIN_NETS,
      /** Proxy of calls to storages, with its credentials; absent: none. */
      egressProxy: given.RETICLE_EGRESS_PROXY,
    },
    /** Workers of an organization export only tasks that they own, and tasks of projects that they own. */
    restrictsWorkerExports: given.RETICLE_PROJECTS_EXPORT_RESTRICT_WORKERS,
    identity: {
      /** Limit on usable access tokens of a user; -1: no limit. */
      maxAccessTokens: given.RETICLE_PROJECTS_MAX_ACCESS_TOKENS,
      /** Days without use after which an access token is rejected. */
      accessTokenStaleDays: given.RETICLE_PROJECTS_ACCESS_TOKEN_STALE_DAYS,
      /** Whether people without an account may register. */
      registration: given.RETICLE_PROJECTS_REGISTRATION ?? isOnLoopback,
      /** Global role of a registered user; null: signed in, but without permissions. */
      defaultRole:
        given.RETICLE_PROJECTS_DEFAULT_ROLE === 'none' ? null : given.RETICLE_PROJECTS_DEFAULT_ROLE,
      /** Whether signing in by password needs a verified e-mail. */
      emailVerification: given.RETICLE_PROJECTS_EMAIL_VERIFICATION,
      /** URL of this server in mails, without a trailing slash. */
      publicUrl,
      /** URL of the pages in mails, without a trailing slash. */
      uiUrl,
    },
    organizations: {
      /** Lowest global role that may create an organization. */
      minRole: given.RETICLE_PROJECTS_ORGANIZATION_MIN_ROLE,
      /** Days after its sending in which an invitation can be accepted. */
      invitationExpiryDays: given.RETICLE_PROJECTS_INVITATION_EXPIRY_DAYS,
      /** Whether an invited user with an account has to confirm before becoming a member. */
      invitationConfirm: given.RETICLE_PROJECTS_INVITATION_CONFIRM === 'yes',
      /** URL of the pages in links. */
      uiUrl,
    },
  }
}

/** Reads the settings of projects-svc in the process of the gateway. */
export const readConfig = defineSettings(variables, (given) =>
  settingsOf(given, isLoopback(given.RETICLE_HOST)),
)
/** Reads the settings of projects-svc in a separate process, which does not know where the gateway listens. */
const readOwnConfig = defineSettings(variables, (given) => settingsOf(given, false))
export type ProjectsSettings = ReturnType<typeof readConfig>

const withoutSlash = (url: string) => url.replace(/(?<!\/)\/+$/, '')

function mailOf(smtp: string | undefined, from: string | undefined, publicUrl: string) {
  const server = smtp === undefined ? undefined : smtpServer(smtp)
  // without a valid public URL, other settings report the fault
  const host = URL.canParse(publicUrl) ? new URL(publicUrl).hostname : 'localhost'
  const sender = from ?? `Reticle <no-reply@${host}>`
  const { name = '', address, bare = '' } = mailbox.exec(sender)?.groups ?? {}
  return server && { server, from: { name, address: address ?? bare } }
}

/**
 * Parses the SMTP address; undefined when it is invalid. A password requires TLS, except for a server on this
 * machine.
 */
function smtpServer(text: string) {
  const { protocol, hostname, port, username, password, searchParams } = new URL(text)
  const { tls = '', ...others } = Object.fromEntries(searchParams)
  if ((tls !== '' && !tlsWords.includes(tls)) || Object.keys(others).length > 0) return undefined
  const secure = protocol === 'smtps:'
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const auth = { user: decoded(username), pass: decoded(password) }
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: tls === 'required' || (tls === '' && username !== '' && !isHere),
    ...(username !== '' && { auth }),
  }
}

/** Decodes percent-encoding; a malformed text stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** First administrator, created at a start without users; without a password none is created. */
const adminPart = defineSettings(
  z.object({
    RETICLE_ADMIN_USERNAME: z.string().min(1).max(150).default('admin'),
    RETICLE_ADMIN_PASSWORD: z.string().min(8).max(256).optional(),
    RETICLE_ADMIN_EMAIL: z.string().max(254).default('admin@localhost'),
  }),
  (given) => ({
    username: given.RETICLE_ADMIN_USERNAME,
    password: given.RETICLE_ADMIN_PASSWORD,
    email: given.RETICLE_ADMIN_EMAIL,
  }),
)

/** Keys that seal credentials: `<id>:<base64>`, newest first, separated by commas. */
export const readSecretKeys = defineSettings(
  z.object({ RETICLE_SECRET_KEYS: z.string({ error: 'needed: <id>:<base64 of 32 bytes>' }) }),
  (given) => given.RETICLE_SECRET_KEYS,
)

/** Parts of the configuration of a projects-svc process. */
export const processParts = {
  settings: readOwnConfig,
  database: databasePart('PROJECTS'),
  kafka: kafkaNeeded,
  s3: s3Needed,
  internal: internalPart,
  admin: adminPart,
  secretKeys: readSecretKeys,
}
