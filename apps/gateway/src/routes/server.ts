import { restOperations, tables } from '@reticle/contracts'
import type { Operation } from '@reticle/contracts/api/operation'
import { cloudProviders } from '@reticle/contracts/rest/cloud-storages'
import { type Capabilities, type PartFacts, shareQuery } from '@reticle/contracts/rest/server'
import type { CallContext } from '@reticle/kit'
import type { FastifyInstance } from 'fastify'
import { dialects } from '../dialects/all.ts'
import { gatewayLimits } from '../limits.ts'
import type { GatewayPorts, Services } from '../ports.ts'
import { present } from '../present.ts'
import { reader } from '../read.ts'
import { contextOf } from '../request.ts'
import { pathOf } from '../serve.ts'

type Ports = Pick<GatewayPorts, 'services' | 'settings'>
type Answer = (input: unknown, context: CallContext) => Promise<unknown>

/** Serves the capabilities and limits of this installation. */
export function serveServer(api: FastifyInstance, { services, settings }: Ports): void {
  const { getPlugins, getCapabilities, getLimits, listShare, getUserAgreements } = tables.server
  const serve = (operation: Operation, answer: Answer) => {
    const read = reader(operation, settings)
    api.get(pathOf(operation), { config: { operation } }, async (request, reply) => {
      const input = await read(request)
      const found = await answer(input, contextOf(request))
      return present(operation, request, reply, found)
    })
  }
  serve(getPlugins, async () => plugins)
  serve(getCapabilities, async (_, context) => capabilitiesOf(services, settings, context))
  serve(getLimits, async (_, context) => {
    const parts = await Promise.all(describers(services).map((describe) => describe({}, context)))
    return Object.assign(gatewayLimits(settings), ...parts.map(({ limits }) => limits))
  })
  serve(listShare, async (input, context) => {
    const { entries } = await services.server.readShare(shareQuery.parse(input), context)
    return entries
  })
  serve(getUserAgreements, async () => [])
}

const describers = ({ tasks, annotations, server, webhooks }: Services) => [
  tasks.describe,
  annotations.describe,
  server.describe,
  webhooks.describe,
]

/** Whether an operation to read events exists. */
const analytics = restOperations.some(({ path }) => path === '/events/export')

/** Plugins by name; a plugin exists if the API has its paths. */
const plugins = {
  ANALYTICS: analytics,
  MODELS: restOperations.some(({ path }) => path.startsWith('/lambda/')),
  GIT_INTEGRATION: false,
  PREDICT: false,
}

async function capabilitiesOf(
  { tasks, server }: Services,
  settings: GatewayPorts['settings'],
  context: CallContext,
): Promise<Capabilities> {
  const [people, work] = await Promise.all([
    tasks.describe({}, context),
    server.describe({}, context),
  ])
  const can = (part: PartFacts, name: string) => part.features[name] ?? false
  const reads = (family: string) => work.media.includes(family)
  return {
    media: work.media,
    image_types: work.image_types,
    video: reads('video'),
    video_decoder: work.video_decoder ?? null,
    pdf: reads('pdf'),
    point_cloud: reads('point_cloud'),
    cloud_providers: [...cloudProviders],
    email: can(people, 'email'),
    registration: can(people, 'registration'),
    analytics,
    share: can(work, 'share'),
    max_upload_bytes: settings.maxUploadBytes,
    max_jobs_per_task: people.limits.jobs_per_task ?? 0,
    dialects: ['service', ...dialects.keys()],
  }
}
