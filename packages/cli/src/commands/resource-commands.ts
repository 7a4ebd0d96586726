import type { CloudStorageContent, Delivery } from '@reticle/sdk'
import type { Command } from 'commander'
import { usageFailure } from '../failures/failure.ts'
import { createColumn, idColumn } from '../resources/columns.ts'
import { findUser } from '../resources/find-user.ts'
import { numberId } from '../resources/resource.ts'
import { type CliContext, openSession } from '../session/command-session.ts'
import { followRequest } from '../session/follow.ts'
import { addExamples } from '../terminal/examples.ts'
import { formatReport } from '../terminal/report.ts'

/** Additional commands of some resources. */

export function addWebhookCommands(group: Command, context: CliContext): void {
  const ping = group
    .command('ping')
    .summary('Send a ping to the receiver')
    .description('Sends a ping to the receiver of a webhook, and shows the response.')
    .argument('<id>', 'which webhook')
    .action(async (given: string, _: object, self: Command) => {
      const { client, output, signal } = openSession(self, context)
      output.record(await (await client()).pingWebhook({ id: numberId(given) }, { signal }))
    })
  addExamples(ping, [['reticle webhook ping 3', 'and shows the delivery']])
  const deliveries = group
    .command('deliveries')
    .summary('List deliveries')
    .description('Lists deliveries of a webhook, newest first.')
    .argument('<id>', 'which webhook')
    .action(async (given: string, _: object, self: Command) => {
      const { client, output, signal } = openSession(self, context)
      const page = await (await client()).listDeliveries({ id: numberId(given) }, { signal })
      output.table(page.results, deliveryColumns)
    })
  addExamples(deliveries, [['reticle webhook deliveries 3', 'the newest ones']])
  const eventNames = group
    .command('events')
    .summary('List the names of events')
    .description('Lists the events that webhooks can receive.')
    .action(async (_: object, self: Command) => {
      const { client, output, signal } = openSession(self, context)
      const { events } = await (await client()).listWebhookEvents({ type: 'all' }, { signal })
      output.result(events.join('\n'), events)
    })
  addExamples(eventNames, [['reticle webhook events', 'one per line']])
}

const deliveryColumns = [
  idColumn,
  createColumn<Delivery>('EVENT', ({ event }) => event),
  createColumn<Delivery>('STATUS', ({ status_code }) => status_code, true),
  createColumn<Delivery>('ATTEMPT', ({ attempt }) => attempt, true),
  createColumn<Delivery>('CREATED', ({ created_date }) => created_date),
]

export function addCloudStorageCommands(group: Command, context: CliContext): void {
  const content = group
    .command('content')
    .summary('List its files')
    .description('Lists files and folders of a cloud storage, one level at a time.')
    .argument('<id>', 'which cloud storage')
    .argument('[prefix]', 'only keys with this prefix')
    .action(async (given: string, prefix: string | undefined, _: object, self: Command) => {
      const { client, output, signal } = openSession(self, context)
      const storage = await client()
      const id = numberId(given)
      const entries: CloudStorageContent['content'] = []
      for (let next_token: string | undefined; ; ) {
        const page = await storage.listCloudStorageContent({ id, prefix, next_token }, { signal })
        entries.push(...page.content)
        if (page.next === null) break
        next_token = page.next
      }
      output.table(entries, [
        createColumn('NAME', ({ name, type }) => (type === 'DIR' ? `${name}/` : name)),
        createColumn('TYPE', ({ mime_type }) => mime_type),
      ])
    })
  addExamples(content, [['reticle cloudstorage content 9 2026/', 'of one folder']])
  const status = group
    .command('status')
    .summary('Test the connection')
    .description(
      'Tests the connection to a cloud storage, and shows the rights of its credentials.',
    )
    .argument('<id>', 'which cloud storage')
    .action(async (given: string, _: object, self: Command) => {
      const { client, output, signal } = openSession(self, context)
      const storage = await client()
      const id = numberId(given)
      const state = await storage.getCloudStorageStatus({ id }, { signal })
      const actions =
        state === 'AVAILABLE' ? await storage.getCloudStorageActions({ id }, { signal }) : []
      output.record({ status: state, actions })
    })
  addExamples(status, [['reticle cloudstorage status 9', 'AVAILABLE, NOT_FOUND or FORBIDDEN']])
}

export function addOrganizationCommands(group: Command, context: CliContext): void {
  const transfer = group
    .command('transfer')
    .summary('Transfer the organization to another owner')
    .description(
      'Makes another member the owner of an organization. The former owner becomes a maintainer.',
    )
    .argument('<id>', 'which organization')
    .argument('<user>', 'user name or id')
    .action(async (given: string, user: string, _: object, self: Command) => {
      const session = openSession(self, context)
      const { client, output, signal } = session
      const user_id = await findUser(session, user)
      if (user_id === null) throw usageFailure('An organization has an owner')
      const input = { id: numberId(given), body: { user_id } }
      output.record(await (await client()).transferOrganization(input, { signal }))
    })
  addExamples(transfer, [['reticle org transfer 2 anna', 'anna must be a member']])
}

const invitationActions = [
  ['accept', 'Become a member', 'is accepted', 'acceptInvitation'],
  ['decline', 'Do not become a member', 'is declined', 'declineInvitation'],
  ['resend', 'Send it once more', 'is sent once more', 'resendInvitation'],
] as const

export function addInvitationCommands(group: Command, context: CliContext): void {
  for (const [word, summary, done, call] of invitationActions) {
    const command = group
      .command(word)
      .summary(summary)
      .description(`${summary}: the invitation ${done}.`)
      .argument('<key>', 'which invitation')
      .action(async (key: string, _: object, self: Command) => {
        const { client, output, signal } = openSession(self, context)
        await (await client())[call]({ key }, { signal })
        output.result(`The invitation ${done}.`, { key })
      })
    addExamples(command, [[`reticle invitation ${word} KEY`, 'keys: `reticle invitation list`']])
  }
}

export function addRequestCommands(group: Command, context: CliContext): void {
  const wait = group
    .command('wait')
    .summary('Wait until the request ends')
    .description('Waits until a request ends, and shows it. Fails if the request failed.')
    .argument('<id>', 'which request')
    .action(async (given: string, _: object, self: Command) => {
      const session = openSession(self, context)
      const request = await followRequest(session, await session.client(), given, 'Waiting')
      session.output.record(request)
      for (const line of formatReport(request.report, 'Report')) session.output.note(line)
    })
  addExamples(wait, [
    ["reticle request wait 'action=create&target=task&target_id=12'", 'with its progress'],
  ])
  const cancel = group
    .command('cancel')
    .summary('Cancel the request')
    .description('Cancels a request that has not ended. Its changes are undone.')
    .argument('<id>', 'which request')
    .action(async (given: string, _: object, self: Command) => {
      const { client, output, signal } = openSession(self, context)
      await (await client()).cancelRequest({ rq_id: given }, { signal })
      output.result(`${given} is cancelled.`, { rq_id: given, cancelled: true })
    })
  addExamples(cancel, [
    ["reticle request cancel 'action=create&target=task&target_id=12'", 'leaves nothing of it'],
  ])
}
