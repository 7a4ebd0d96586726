import type {
  CloudStorage,
  CloudStorageCreate,
  CloudStoragePatch,
  Request,
  Webhook,
  WebhookCreate,
  WebhookPatch,
} from '@reticle/sdk'
import { createColumn, idColumn, ownerColumn, updatedColumn } from './columns.ts'
import { choiceFilter, numberId, type ResourceDefinition } from './resource.ts'

/** Webhooks, cloud storages and requests. */

const webhookFields = [
  { key: 'description', flags: '--description <text>', description: 'purpose' },
  {
    key: 'secret',
    flags: '--secret <file>',
    description: 'secret that signs deliveries',
    kind: 'secret',
  },
  {
    key: 'is_active',
    flags: '--active <true|false>',
    description: 'whether the webhook is active',
    kind: 'flag',
  },
  {
    key: 'enable_ssl',
    flags: '--verify-ssl <true|false>',
    description: 'whether the certificate of the receiver is checked',
    kind: 'flag',
  },
  { ...choiceFilter('dialect', ['service', 'cvat'], 'the form of payloads'), key: 'dialect' },
] as const

export const webhook: ResourceDefinition<Webhook, WebhookCreate, WebhookPatch> = {
  word: 'webhook',
  one: 'a webhook',
  id: numberId,
  columns: [
    idColumn,
    createColumn('TARGET', ({ target_url }) => target_url),
    createColumn('TYPE', ({ type }) => type),
    createColumn('PROJECT', ({ project_id }) => project_id, true),
    createColumn('EVENTS', ({ events_list }) => events_list),
    createColumn('ACTIVE', ({ is_active }) => is_active),
    createColumn('LAST STATUS', ({ last_status }) => last_status, true),
  ],
  list: {
    each: (client, query, options) => client.listWebhooks.each(query, options),
    filters: [
      choiceFilter('type', ['organization', 'project'], 'only those'),
      {
        key: 'project_id',
        flags: '--project <id>',
        description: 'only of this project',
        kind: 'number',
      },
    ],
  },
  get: (client, id, options) => client.getWebhook({ id }, options),
  create: {
    fields: [
      { key: 'target_url', flags: '<url>', description: 'URL of the receiver' },
      {
        key: 'events',
        flags: '--events <names>',
        description: 'comma-separated events (`reticle webhook events`)',
        required: true,
      },
      {
        ...choiceFilter('type', ['organization', 'project'], 'whose events'),
        key: 'type',
        required: true,
      },
      {
        key: 'project_id',
        flags: '--project <id>',
        description: 'project',
        kind: 'number',
      },
      ...webhookFields,
    ],
    call: (client, body, options) => client.createWebhook({ body }, options),
    example:
      'reticle webhook create https://ci.example.org/hook --type project --project 7 --events update:task --secret secret.txt',
  },
  update: {
    fields: [
      { key: 'target_url', flags: '--target-url <url>', description: 'URL of the receiver' },
      { key: 'events', flags: '--events <names>', description: 'comma-separated events' },
      ...webhookFields,
    ],
    call: (client, id, body, options) => client.updateWebhook({ id, body }, options),
    example: 'reticle webhook update 3 --active false',
  },
  remove: (client, id, options) => client.deleteWebhook({ id }, options),
}

const bucketFields = [
  { key: 'description', flags: '--description <text>', description: 'content' },
  {
    key: 'specific_attributes',
    flags: '--attributes <pairs>',
    description: 'region=..&endpoint_url=..&prefix=..',
  },
  { key: 'manifests', flags: '--manifest <key>', description: 'key of a manifest', kind: 'list' },
  { key: 'account_name', flags: '--account-name <name>', description: 'account (Azure)' },
  { key: 'key', flags: '--key <file>', description: 'the access key (S3)', kind: 'secret' },
  {
    key: 'secret_key',
    flags: '--secret-key <file>',
    description: 'the secret key (S3)',
    kind: 'secret',
  },
  {
    key: 'session_token',
    flags: '--session-token <file>',
    description: 'the token',
    kind: 'secret',
  },
  {
    key: 'key_file',
    flags: '--key-file <file>',
    description: 'the service account (Google)',
    kind: 'secret',
  },
  {
    key: 'connection_string',
    flags: '--connection-string <file>',
    description: 'the connection string (Azure)',
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

export const cloudstorage: ResourceDefinition<CloudStorage, CloudStorageCreate, CloudStoragePatch> =
  {
    word: 'cloudstorage',
    one: 'a cloud storage',
    id: numberId,
    columns: [
      idColumn,
      createColumn('NAME', ({ display_name }) => display_name),
      createColumn('PROVIDER', ({ provider_type }) => provider_type),
      createColumn('BUCKET', ({ resource }) => resource),
      ownerColumn,
      updatedColumn,
    ],
    list: {
      each: (client, query, options) => client.listCloudStorages.each(query, options),
      filters: [{ key: 'name', flags: '--name <name>', description: 'only with this name' }],
    },
    get: (client, id, options) => client.getCloudStorage({ id }, options),
    create: {
      fields: [
        { key: 'display_name', flags: '<name>', description: 'display name' },
        {
          key: 'provider_type',
          flags: '--provider <type>',
          description: 'what it is',
          choices: ['AWS_S3_BUCKET', 'AZURE_CONTAINER', 'GOOGLE_CLOUD_STORAGE'],
          required: true,
        },
        {
          key: 'resource',
          flags: '--bucket <name>',
          description: 'bucket or container',
          required: true,
        },
        {
          key: 'credentials_type',
          flags: '--credentials <type>',
          description: 'type of the credentials',
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
        { key: 'display_name', flags: '--name <name>', description: 'display name' },
        { key: 'resource', flags: '--bucket <name>', description: 'bucket or container' },
        {
          key: 'credentials_type',
          flags: '--credentials <type>',
          description: 'type of the credentials',
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

export const request: ResourceDefinition<Request, never, never, string> = {
  word: 'request',
  one: 'a request',
  id: (rqId) => rqId,
  columns: [
    createColumn('TYPE', ({ operation }) => operation.type),
    createColumn('STATUS', ({ status }) => status),
    createColumn('PROGRESS', ({ progress }) => percent(progress), true),
    createColumn('CREATED', ({ created_date }) => created_date),
    createColumn('MESSAGE', ({ message }) => message),
    createColumn('ID', ({ id }) => id),
  ],
  list: {
    each: (client, { search: _, ...query }, options) => client.listRequests.each(query, options),
    filters: [
      choiceFilter('status', ['queued', 'started', 'finished', 'failed'], 'only those'),
      choiceFilter('action', ['export', 'import', 'create'], 'only those'),
      {
        key: 'project_id',
        flags: '--project <id>',
        description: 'only of this project',
        kind: 'number',
      },
      { key: 'task_id', flags: '--task <id>', description: 'only of this task', kind: 'number' },
      { key: 'job_id', flags: '--job <id>', description: 'only of this job', kind: 'number' },
    ],
  },
  get: (client, rq_id, options) => client.getRequest({ rq_id }, options),
}
