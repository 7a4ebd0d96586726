import { settingsByProcess } from '@reticle/standalone/settings'

/** Sections of the chart's values, with the process whose settings their `settings` contain. */
const parts = {
  gateway: 'gateway',
  projects: 'projects-svc',
  annotations: 'annotations-svc',
  jobs: 'jobs-svc',
  jobsWorker: 'jobs-svc',
  webhooks: 'webhooks-svc',
}

/** Returns the schema of the chart's values, with the settings that each process reads under its own prefix. */
export function chartSchema(text: string): string {
  const schema = JSON.parse(text)
  for (const [part, process] of Object.entries(parts)) {
    const prefix = `RETICLE_${process.replace('-svc', '').toUpperCase()}_`
    const names = (settingsByProcess[process] ?? []).filter(
      (name) => (name.startsWith(prefix) || isOwn(part, name)) && !hasOwnValue(part, name),
    )
    const properties = Object.fromEntries(
      names.sort().map((name) => [name, { $ref: '#/$defs/setting' }]),
    )
    const settings = { type: 'object', additionalProperties: false, properties }
    schema.properties[part].properties.settings = settings
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

/** Settings of one process whose name lacks the prefix of that process. */
const isOwn = (part: string, name: string) => `${part} ${name}` === 'gateway RETICLE_PAGE_SIZE_MAX'

/**
 * Settings that the chart derives from other values: addresses, mails, networks of remote files, and the slots of a
 * worker.
 */
const hasOwnValue = (part: string, name: string) =>
  /_(DATABASE_URL|ADDRESS|SMTP_URL|MAIL_FROM|JOBS_ALLOWED_NETS)$/.test(name) ||
  `${part} ${name}` === 'jobsWorker RETICLE_JOBS_SLOTS'
