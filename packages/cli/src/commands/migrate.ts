import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { Failure, usageFailure } from '../failures/failure.ts'
import { migrateArchives } from '../migrate/archives.ts'
import { noSecrets, readSecrets, readUserMap } from '../migrate/input-files.ts'
import { type MigrationEntry, openLedger } from '../migrate/ledger.ts'
import type { Migration } from '../migrate/migration.ts'
import { migrateProjects, migrateTasks } from '../migrate/projects.ts'
import { type MigrationReport, reportOf, writeReport } from '../migrate/report.ts'
import { checkSource, openSource } from '../migrate/source.ts'
import { openUserMapping } from '../migrate/user-mapping.ts'
import { migrateWebhooks } from '../migrate/webhooks.ts'
import { migrateStorages, workspacesOf } from '../migrate/workspaces.ts'
import { bodyOf } from '../resources/fields.ts'
import { type CliContext, type CommandSession, openSession } from '../session/command-session.ts'
import { serverUrl } from '../session/target.ts'
import { formatCounts } from '../terminal/counts.ts'
import { addExamples } from '../terminal/examples.ts'
import { promptSecret } from '../terminal/prompts.ts'

interface MigrateOptions {
  from?: string
  token?: string
  org?: string[]
  backup?: string[]
  users?: string
  secrets?: string
  folder: string
}

const description = `Copies the data of a running CVAT server, or of its backups: organizations with their members, cloud storages,
projects, tasks with their media, jobs, annotations, issues, guides and webhooks. The source is only read.
After an interruption, run the same command again to continue. Run it again later to copy new objects.
A report lists everything that was not copied unchanged; it is stored in report.json of --folder. Annotations are counted on both sides.`

export function addMigrate(program: Command, context: CliContext): void {
  const gathered = (value: string, former: string[] = []) => [...former, value]
  const command = program
    .command('migrate')
    .summary('Copy the data of another server, or its backups')
    .description(description)
    .option('--from <url>', 'URL of the server to copy')
    .option(
      '--token <file>',
      'its access token: a file that holds it, or - to be asked (RETICLE_SOURCE_TOKEN)',
    )
    .addOption(
      new Option(
        '--org <slug>',
        'only this organization; empty: only what is personal; may be given several times',
      ).argParser(gathered),
    )
    .addOption(
      new Option('--backup <path>', 'a backup, or a folder of them; may be given several times')
        .argParser(gathered)
        .conflicts(['from', 'org', 'token']),
    )
    .option(
      '--users <file>',
      'user names, as JSON: {"name there": "name here", "other name": null}',
    )
    .option(
      '--secrets <file>',
      'a secret that the source does not return: a file that holds it as JSON, by ids of the source: {"cloud_storages": {"7": {"key": ..}}, "webhooks": {"3": ..}}',
    )
    .option('--folder <folder>', 'folder of the progress and the report', 'reticle-migration')
    .action(async (options: MigrateOptions, self: Command) =>
      runMigration(options, openSession(self, context)),
    )
  addExamples(command, [
    ['reticle migrate --from https://cvat.example.org --token -', 'everything that you may see'],
    [
      'reticle migrate --from https://cvat.example.org --org acme --users who.json',
      'one organization',
    ],
    ['reticle migrate --from http://other:8080/as/cvat', 'another Reticle'],
    ['reticle migrate --backup backups/ --organization acme', 'archives, into an organization'],
  ])
}

async function runMigration(options: MigrateOptions, session: CommandSession): Promise<void> {
  const { from, backup } = options
  if (from === undefined && backup === undefined)
    throw usageFailure('Name what is copied: a server with --from, or archives with --backup')
  const { url } = await session.target()
  const source = from === undefined ? 'backups' : serverUrl(from)
  const folder = resolve(options.folder)
  const token = from === undefined ? '' : await sourceToken(options, session)
  const open = (organization: string) => openSource({ url: source, token, organization })
  session.progress.step(`Looking at ${source}`)
  // checks the address first, so that a mistyped one creates no ledger
  if (from !== undefined) await checkSource(open(''), session)
  const migration = await openMigration(options, session, {
    folder,
    about: { from: source, to: url },
  })
  const into = session.options.organization ?? ''
  try {
    if (backup) await migrateArchives(migration, backup, into)
    else await migrateServer(migration, { open, only: options.org, into })
  } finally {
    session.progress.stop()
    await writeReport(folder, reportOf(migration.ledger))
  }
  printMigrationReport(reportOf(migration.ledger), folder, session)
}

/** Migrates one workspace after the other, skipping objects that a former run migrated. */
async function migrateServer(
  migration: Migration,
  selection: Parameters<typeof workspacesOf>[1],
): Promise<void> {
  for await (const workspace of workspacesOf(migration, selection)) {
    await migrateStorages(migration, workspace)
    await migrateProjects(migration, workspace)
    await migrateTasks(migration, workspace)
    await migrateWebhooks(migration, workspace)
  }
}

async function sourceToken({ token }: MigrateOptions, session: CommandSession): Promise<string> {
  const { sourceToken: known } = session.context.env
  if (token === undefined)
    return known ?? promptSecret(session.context, 'Access token of the source')
  const field = {
    key: 'token',
    flags: '--token <file>',
    description: 'Access token of the source',
    kind: 'secret',
  } as const
  return (await bodyOf<{ token: string }>([field], { token }, session)).token
}

async function openMigration(
  { users, secrets }: MigrateOptions,
  session: CommandSession,
  { folder, about }: { folder: string; about: Readonly<Record<string, string>> },
): Promise<Migration> {
  const target = await session.client()
  const map = users === undefined ? {} : await readUserMap(users)
  return {
    session,
    target,
    folder,
    secrets: secrets === undefined ? noSecrets : await readSecrets(secrets),
    people: await openUserMapping(target, map, session.signal),
    ledger: await openLedger(folder, about),
  }
}

/** Maximum number of printed report lines; further ones are only in the file. */
const mostLines = 20

/** @throws Failure when some objects could not be migrated */
function printMigrationReport(
  { carried, counts, entries }: MigrationReport,
  folder: string,
  session: CommandSession,
): void {
  const { output } = session
  const report = { carried, counts, entries }
  if (output.isJson) output.result('', report)
  else {
    const { frames, shapes, tracks, tags } = counts
    const kinds = Object.entries(carried).map(([kind, count]) => ({ kind, count }))
    output.table(kinds, [
      { title: 'CARRIED', of: ({ kind }) => kind.replace('_', ' ') },
      { title: 'COUNT', of: ({ count }) => String(count), isNumber: true },
    ])
    if (frames > 0)
      output.note(
        `Counted ${carried.archive ? 'here' : 'on both sides'}: ${formatCounts({ frames, shapes, tracks, tags })}.`,
      )
    for (const entry of entries.slice(0, mostLines)) output.warn(lineOf(entry))
    if (entries.length > mostLines) output.warn(`... and ${entries.length - mostLines} more.`)
    output.note(`All of it is in ${folder}/report.json.`)
  }
  const failed = entries.filter(({ what }) => what === 'failed').length
  if (failed > 0)
    throw new Failure(`${failed} could not be carried`, {
      code: 'not_all',
      hint: 'Fix the problems in the report, and run the same command again. Finished parts are not repeated.',
    })
}

const lineOf = ({ what, kind, from, name, reason }: MigrationEntry) =>
  `${what}: ${kind.replace('_', ' ')} ${name || from}: ${reason}`
