import type {
  CloudStorage,
  CloudStorageCreate,
  CloudStoragePatch,
  Request,
  Webhook,
  WebhookCreate,
  WebhookPatch,
} from '@reticle/sdk'
import { column, idColumn, ownerColumn, updatedColumn } from './columns.ts'
import { choice, numberId, type Resource } from './resource.ts'

/** Webhooks, cloud storages and requests. */

const webhookFields = [
  { key: 'description', flags: '--description <text>', about: 'what it is for' },
  {
    key: 'secret',
    flags: '--secret <file>',
    about: 'the secret that signs deliveries',
    kind: 'secret',
  },
  { key: 'is_active', flags: '--active <true|false>', about: 'whether it is told', kind: 'flag' },
  {
    key: 'enable_ssl',
    flags: '--verify-ssl <true|false>',
    about: 'whether the certificate of the receiver is checked',
    kind: 'flag',
  },
  { ...choice('dialect', ['service', 'cvat'], 'the form of payloads'), key: 'dialect' },
] as const

export const webhook: Resource<Webhook, WebhookCreate, WebhookPatch> = {
  word: 'webhook',
  one: 'a webhook',
  id: numberId,
  columns: [
    idColumn,
    column('TARGET', ({ target_url }) => target_url),
    column('TYPE', ({ type }) => type),
    column('PROJECT', ({ project_id }) => project_id, true),
    column('EVENTS', ({ events_list }) => events_list),
    column('ACTIVE', ({ is_active }) => is_active),
    column('LAST STATUS', ({ last_status }) => last_status, true),
  ],
  list: {
    each: (client, query, options) => client.listWebhooks.each(query, options),
    filters: [
      choice('type', ['organization', 'project'], 'only those'),
      { key: 'project_id', flags: '--project <id>', about: 'only of this project', kind: 'number' },
    ],
  },
  get: (client, id, options) => client.getWebhook({ id }, options),
  create: {
    fields: [
      { key: 'target_url', flags: '<url>', about: 'who is told' },
      {
        key: 'events',
        flags: '--events <names>',
        about: 'of what, with commas between (`reticle webhook events`)',
        required: true,
      },
      {
        ...choice('type', ['organization', 'project'], 'whose events'),
        key: 'type',
        required: true,
      },
      { key: 'project_id', flags: '--project <id>', about: 'of which project', kind: 'number' },
      ...webhookFields,
    ],
    call: (client, body, options) => client.createWebhook({ body }, options),
    example:
      'reticle webhook create https://ci.example.org/hook --type project --project 7 --events update:task --secret secret.txt',
  },
  update: {
    fields: [
      { key: 'target_url', flags: '--target-url <url>', about: 'who is told' },
      { key: 'events', flags: '--events <names>', about: 'of what, with commas between' },
      ...webhookFields,
    ],
    call: (client, id, body, options) => client.updateWebhook({ id, body }, options),
    example: 'reticle webhook update 3 --active false',
  },
  remove: (client, id, options) => client.deleteWebhook({ id }, options),
}

const bucketFields = [
  { key: 'description', flags: '--description <text>', about: 'what it holds' },
  {
    key: 'specific_attributes',
    flags: '--attributes <pairs>',
    about: 'region=..&endpoint_url=..&prefix=..',
  },
  { key: 'manifests', flags: '--manifest <key>', about: 'key of a manifest', kind: 'list' },
  { key: 'account_name', flags: '--account-name <name>', about: 'account (Azure)' },
  { key: 'key', flags: '--key <file>', about: 'the access key (S3)', kind: 'secret' },
  { key: 'secret_key', flags: '--secret-key <file>', about: 'the secret key (S3)', kind: 'secret' },
  { key: 'session_token', flags: '--session-token <file>', about: 'the token', kind: 'secret' },
  {
    key: 'key_file',
    flags: '--key-file <file>',
    about: 'the service account (Google)',
    kind: 'secret',
  },
  {
    key: 'connection_string',
    flags: '--connection-string <file>',
    about: 'the connection string (Azure)',
    kind: 'secret',
  },
] as const
const credentials = [
  'KEY_SECRET_KEY_PAIR',
  'ACCOUNT_NAME_TOKEN_PAIR',
  'KEY_FILE_PATH',
  'ANONYMOUS_ACCESS',
  'CONNECTION_STRING',
] as const

export const cloudstorage: Resource<CloudStorage, CloudStorageCreate, CloudStoragePatch> = {
  word: 'cloudstorage',
  one: 'a cloud storage',
  id: numberId,
  columns: [
    idColumn,
    column('NAME', ({ display_name }) => display_name),
    column('PROVIDER', ({ provider_type }) => provider_type),
    column('BUCKET', ({ resource }) => resource),
    ownerColumn,
    updatedColumn,
  ],
  list: {
    each: (client, query, options) => client.listCloudStorages.each(query, options),
    filters: [{ key: 'name', flags: '--name <name>', about: 'only that one' }],
  },
  get: (client, id, options) => client.getCloudStorage({ id }, options),
  create: {
    fields: [
      { key: 'display_name', flags: '<name>', about: 'what it is called here' },
      {
        key: 'provider_type',
        flags: '--provider <type>',
        about: 'what it is',
        choices: ['AWS_S3_BUCKET', 'AZURE_CONTAINER', 'GOOGLE_CLOUD_STORAGE'],
        required: true,
      },
      { key: 'resource', flags: '--bucket <name>', about: 'bucket or container', required: true },
      {
        key: 'credentials_type',
        flags: '--credentials <type>',
        about: 'how it is opened',
        choices: credentials,
        required: true,
      },
      ...bucketFields,
    ],
    call: (client, body, options) => client.createCloudStorage({ body }, options),
    example:
      'reticle cloudstorage create frames --provider AWS_S3_BUCKET --bucket frames --credentials KEY_SECRET_KEY_PAIR --key key.txt --secret-key -',
  },
  update: {
    fields: [
      { key: 'display_name', flags: '--name <name>', about: 'what it is called here' },
      { key: 'resource', flags: '--bucket <name>', about: 'bucket or container' },
      {
        key: 'credentials_type',
        flags: '--credentials <type>',
        about: 'how it is opened',
        choices: credentials,
      },
      ...bucketFields,
    ],
    call: (client, id, body, options) => client.updateCloudStorage({ id, body }, options),
    example: 'reticle cloudstorage update 9 --description "Raw frames"',
  },
  remove: (client, id, options) => client.deleteCloudStorage({ id }, options),
}

const percent = (share: number) => `${Math.floor(100 * share)} %`

export const request: Resource<Request, never, never, string> = {
  word: 'request',
  one: 'a request',
  id: (rqId) => rqId,
  columns: [
    column('TYPE', ({ operation }) => operation.type),
    column('STATUS', ({ status }) => status),
    column('PROGRESS', ({ progress }) => percent(progress), true),
    column('CREATED', ({ created_date }) => created_date),
    column('MESSAGE', ({ message }) => message),
    column('ID', ({ id }) => id),
  ],
  list: {
    each: (client, { search: _, ...query }, options) => client.listRequests.each(query, options),
    filters: [
      choice('status', ['queued', 'started', 'finished', 'failed'], 'only those'),
      choice('action', ['export', 'import', 'create'], 'only those'),
      { key: 'project_id', flags: '--project <id>', about: 'only of this project', kind: 'number' },
      { key: 'task_id', flags: '--task <id>', about: 'only of this task', kind: 'number' },
      { key: 'job_id', flags: '--job <id>', about: 'only of this job', kind: 'number' },
    ],
  },
  get: (client, rq_id, options) => client.getRequest({ rq_id }, options),
}
