import type {
  AccessToken,
  AccessTokenCreate,
  AccessTokenPatch,
  CallOptions,
  Client,
  Invitation,
  InvitationCreate,
  Membership,
  MembershipPatch,
  MetaUser,
  Organization,
  OrganizationCreate,
  OrganizationPatch,
  UserPatch,
} from '@reticle/sdk'
import { createColumn, idColumn, ownerColumn, updatedColumn } from './columns.ts'
import type { BodyField } from './fields.ts'
import { choiceFilter, numberId, type ResourceDefinition } from './resource.ts'

/** Organizations, members, invitations, users and access tokens. */

const textFilter = (key: string, description: string): BodyField => ({
  key,
  flags: `--${key.replaceAll('_', '-')} <text>`,
  description,
})

const profileFields = [
  { key: 'name', flags: '--name <name>', description: 'full name' },
  { key: 'description', flags: '--description <text>', description: 'what it is' },
  {
    key: 'contact',
    flags: '--contact <json>',
    description: 'contact data, as JSON',
    kind: 'json',
  },
] as const

export const org: ResourceDefinition<Organization, OrganizationCreate, OrganizationPatch> = {
  word: 'org',
  one: 'an organization',
  id: numberId,
  columns: [
    idColumn,
    createColumn('SLUG', ({ slug }) => slug),
    createColumn('NAME', ({ name }) => name),
    ownerColumn,
    updatedColumn,
  ],
  list: {
    each: (client, query, options) => client.listOrganizations.each(query, options),
    filters: [textFilter('slug', 'only with this name'), textFilter('owner', 'only of this owner')],
  },
  get: (client, id, options) => client.getOrganization({ id }, options),
  create: {
    fields: [{ key: 'slug', flags: '<slug>', description: 'short name' }, ...profileFields],
    call: (client, body, options) => client.createOrganization({ body }, options),
    example: 'reticle org create acme --name "Acme Vision"',
  },
  update: {
    fields: [{ key: 'slug', flags: '--slug <slug>', description: 'short name' }, ...profileFields],
    call: (client, id, body, options) => client.updateOrganization({ id, body }, options),
    example: 'reticle org update 2 --description "Streets and roads"',
  },
  remove: (client, id, options) => client.deleteOrganization({ id }, options),
}

export const membership: ResourceDefinition<Membership, never, MembershipPatch> = {
  word: 'membership',
  one: 'a membership',
  id: numberId,
  columns: [
    idColumn,
    createColumn('USER', ({ user }) => user),
    createColumn('ROLE', ({ role }) => role),
    createColumn('ACTIVE', ({ is_active }) => is_active),
    createColumn('JOINED', ({ joined_date }) => joined_date),
  ],
  list: {
    each: (client, query, options) => client.listMemberships.each(query, options),
    filters: [
      textFilter('user', 'only of this user'),
      choiceFilter('role', ['owner', 'maintainer', 'supervisor', 'worker'], 'only those'),
    ],
  },
  get: (client, id, options) => client.getMembership({ id }, options),
  update: {
    fields: [
      {
        ...choiceFilter('role', ['worker', 'supervisor', 'maintainer'], 'what they may do'),
        key: 'role',
      },
    ],
    call: (client, id, body, options) => client.updateMembership({ id, body }, options),
    example: 'reticle membership update 4 --role supervisor',
  },
  remove: (client, id, options) => client.deleteMembership({ id }, options),
}

export const invitation: ResourceDefinition<Invitation, InvitationCreate, never, string> = {
  word: 'invitation',
  one: 'an invitation',
  id: (key) => key,
  columns: [
    createColumn('KEY', ({ key }) => key),
    createColumn('USER', ({ user }) => user),
    createColumn('ROLE', ({ role }) => role),
    createColumn('ORGANIZATION', ({ organization_info }) => organization_info),
    createColumn('ACCEPTED', ({ accepted }) => accepted),
    createColumn('EXPIRED', ({ expired }) => expired),
  ],
  list: {
    each: (client, query, options) => client.listInvitations.each(query, options),
    filters: [{ ...choiceFilter('accepted', [], 'only those'), choices: ['true', 'false'] }],
  },
  get: (client, key, options) => client.getInvitation({ key }, options),
  create: {
    fields: [
      { key: 'email', flags: '<email>', description: 'who' },
      {
        ...choiceFilter('role', ['worker', 'supervisor', 'maintainer'], 'what they may do'),
        key: 'role',
        required: true,
      },
    ],
    call: (client, body, options) => client.createInvitation({ body }, options),
    example: 'reticle invitation create anna@example.org --role worker --organization acme',
  },
  remove: (client, key, options) => client.deleteInvitation({ key }, options),
}

const booleanField = (key: keyof UserPatch, description: string) =>
  ({ key, flags: `--${key.replace('is_', '')} <true|false>`, description, kind: 'flag' }) as const

interface NewUser {
  username: string
  email?: string
  password: string
  first_name?: string
  last_name?: string
}

const names = [
  { key: 'first_name', flags: '--first-name <name>', description: 'first name' },
  { key: 'last_name', flags: '--last-name <name>', description: 'last name' },
] as const

export const user: ResourceDefinition<MetaUser, NewUser, UserPatch> = {
  word: 'user',
  one: 'a user',
  id: numberId,
  columns: [
    idColumn,
    createColumn('USERNAME', ({ username }) => username),
    createColumn('NAME', ({ first_name, last_name }) => `${first_name} ${last_name}`.trim()),
    createColumn('EMAIL', ({ email }) => email),
    createColumn('GROUPS', ({ groups }) => groups),
    createColumn('ACTIVE', ({ is_active }) => is_active),
  ],
  list: {
    each: (client, query, options) => client.listUsers.each(query, options),
    filters: [textFilter('username', 'only with this name')],
  },
  get: (client, id, options) => client.getUser({ id }, options),
  create: {
    fields: [
      { key: 'username', flags: '<username>', description: 'user name' },
      {
        key: 'password',
        flags: '--password <file>',
        description: 'file with the password',
        kind: 'secret',
        required: true,
      },
      {
        key: 'email',
        flags: '--email <address>',
        description: 'e-mail address, also of invitations',
      },
      ...names,
    ],
    call: createUser,
    example:
      'reticle user create anna.k --email anna@example.org --password anna.txt --username admin',
  },
  update: {
    fields: [
      ...names,
      { key: 'email', flags: '--email <address>', description: 'e-mail (administrators)' },
      {
        key: 'groups',
        flags: '--group <name>',
        description: 'admin, user or worker (administrators)',
        kind: 'list',
      },
      booleanField('is_active', 'whether they may sign in (administrators)'),
    ],
    call: (client, id, body, options) => client.updateUser({ id, body }, options),
    example: 'reticle user update 3 --first-name Anna --username admin',
  },
  remove: (client, id, options) => client.deleteUser({ id }, options),
  byPassword: true,
}

/** Creates a user. The response contains a token of the new account, which must not be shown. */
async function createUser(
  client: Client,
  { password, ...person }: NewUser,
  options: CallOptions,
): Promise<object> {
  const body = { ...person, password1: password, password2: password }
  await client.register({ body }, options)
  const { results } = await client.listUsers({ username: person.username }, options)
  return results[0] ?? person
}

const tokenFields = [
  { key: 'expiry_date', flags: '--expires <date>', description: 'last day, as DD/MM/YYYY' },
  {
    key: 'read_only',
    flags: '--read-only <true|false>',
    description: 'whether the token is read-only',
    kind: 'flag',
  },
] as const

export const token: ResourceDefinition<AccessToken, AccessTokenCreate, AccessTokenPatch> = {
  word: 'token',
  one: 'an access token',
  id: numberId,
  columns: [
    idColumn,
    createColumn('NAME', ({ name }) => name),
    createColumn('READ ONLY', ({ read_only }) => read_only),
    createColumn('EXPIRES', ({ expiry_date }) => expiry_date),
    createColumn('LAST USED', ({ last_used_date }) => last_used_date),
  ],
  list: {
    each: (client, query, options) => client.listAccessTokens.each(query, options),
    filters: [],
  },
  get: (client, id, options) => client.getAccessToken({ id }, options),
  create: {
    fields: [{ key: 'name', flags: '<name>', description: 'purpose' }, ...tokenFields],
    call: (client, body, options) => client.createAccessToken({ body }, options),
    example: 'reticle token create nightly --expires 31/12/2027 --username anna',
  },
  update: {
    fields: [{ key: 'name', flags: '--name <name>', description: 'purpose' }, ...tokenFields],
    call: (client, id, body, options) => client.updateAccessToken({ id, body }, options),
    example: 'reticle token update 14 --name nightly --username anna',
  },
  remove: (client, id, options) => client.deleteAccessToken({ id }, options),
  byPassword: true,
}
