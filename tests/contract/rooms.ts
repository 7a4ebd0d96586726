/** Import rules of a folder of apps or packages. Names are matched by prefix. */
export interface Room {
  /** Packages of the repository, as `@reticle/<package>`, or some paths of them. */
  own: string[]
  /** Libraries; `any`: every dependency in its package.json, as the linter checks. */
  libraries: string[] | 'any'
  /** Whether it may use modules of Node.js, or which of its files may. */
  usesNode: boolean | string[]
}

const service = {
  own: ['@reticle/contracts', '@reticle/kit'],
  libraries: ['kysely', 'zod', '@node-rs/argon2', 'sharp', 'nodemailer'],
  usesNode: true,
} satisfies Room

export const rooms: Record<string, Room> = {
  'packages/geometry': { own: [], libraries: [], usesNode: false },
  'packages/contracts': { own: [], libraries: ['zod', '@grpc/proto-loader'], usesNode: true },
  'packages/formats': {
    own: ['@reticle/geometry'],
    libraries: ['sharp', 'saxes'],
    usesNode: true,
  },
  'packages/cli': {
    own: ['@reticle/sdk', '@reticle/formats'],
    libraries: ['commander', 'cli-progress'],
    usesNode: true,
  },
  'packages/kit': {
    own: [
      '@reticle/contracts/api/operation',
      '@reticle/contracts/events/define',
      '@reticle/contracts/grpc/load',
      '@reticle/contracts/rest/principal',
      '@reticle/contracts/rest/relations',
      '@reticle/contracts/rest/common',
      '@reticle/contracts/rest/json-logic',
      '@reticle/contracts/rest/lists',
      '@reticle/contracts/rest/moments',
    ],
    libraries: 'any',
    usesNode: true,
  },
  'packages/sdk': { own: [], libraries: [], usesNode: ['/src/node.ts'] },
  'apps/console': {
    own: ['@reticle/sdk'],
    libraries: [
      ...['react', 'react-dom', 'wouter', '@tanstack/react-query', '@tanstack/react-virtual'],
      ...['marked', 'dompurify'],
      ...['vite', '@vitejs/plugin-react'], // vite.config.ts
    ],
    usesNode: ['/vite.config.ts', '/licences.ts'],
  },
  'apps/gateway': {
    own: ['@reticle/contracts', '@reticle/kit', '@reticle/console/index.html'],
    libraries: ['fastify', '@fastify/', 'zod', 'negotiator', 'yaml', 'ipaddr.js'],
    usesNode: true,
  },
  'apps/projects-svc': service,
  'apps/annotations-svc': {
    ...service,
    own: [...service.own, '@reticle/formats/json', '@reticle/geometry'],
  },
  'apps/jobs-svc': {
    own: [...service.own, '@reticle/formats'],
    libraries: [...service.libraries, 'node-av', '@hyzyla/pdfium'],
    usesNode: true,
  },
  'apps/webhooks-svc': service,
  'apps/standalone': {
    own: [
      '@reticle/gateway',
      '@reticle/projects-svc',
      '@reticle/annotations-svc',
      '@reticle/jobs-svc',
      '@reticle/webhooks-svc',
      '@reticle/contracts',
      '@reticle/kit',
    ],
    libraries: 'any',
    usesNode: true,
  },
  'tools/codegen': {
    own: ['@reticle/standalone', '@reticle/contracts', '@reticle/formats', '@reticle/kit'],
    libraries: ['zod'],
    usesNode: true,
  },
  'tools/cluster': {
    own: ['@reticle/standalone', '@reticle/kit', '@reticle/scripts'],
    libraries: 'any',
    usesNode: true,
  },
  'tools/oracles': {
    own: ['@reticle/tests', '@reticle/scripts', '@reticle/formats'],
    libraries: ['sharp'],
    usesNode: true,
  },
  'tools/scoreboard': { own: ['@reticle/scripts'], libraries: ['zod'], usesNode: true },
  'tools/soak': {
    own: [
      ...['@reticle/tests', '@reticle/cluster', '@reticle/scoreboard', '@reticle/scripts'],
      ...['@reticle/standalone', '@reticle/formats', '@reticle/kit'],
    ],
    libraries: [],
    usesNode: true,
  },
  tests: {
    own: [
      ...['@reticle/standalone', '@reticle/sdk', '@reticle/codegen', '@reticle/cluster'],
      ...['@reticle/contracts', '@reticle/formats', '@reticle/kit'],
    ],
    libraries: 'any',
    usesNode: true,
  },
  'tools/bench': {
    own: [
      ...['@reticle/standalone', '@reticle/annotations-svc', '@reticle/cluster'],
      ...['@reticle/contracts', '@reticle/formats', '@reticle/kit'],
    ],
    libraries: 'any',
    usesNode: true,
  },
  scripts: { own: [], libraries: [], usesNode: true },
  deploy: { own: ['@reticle/contracts/grpc/load'], libraries: [], usesNode: true },
}

/** Paths of kit for services only, since the gateway has no database and no bus. */
export const notForGateway = ['@reticle/kit/db', '@reticle/kit/bus', '@reticle/kit/outbox']

/**
 * Order of the folders of an app or package, ground first: each imports only those before it. A file of `src/` that
 * folders import is listed by its name. Files that are not listed stand above all folders.
 */
export const orders: Record<string, string[]> = {
  'packages/kit': [
    ...['call', 'scheduling', 'net', 'settings', 'observe', 'keys', 'db', 'list', 'outbox', 'bus'],
    ...['rpc', 'blob', 'outgoing', 'bucket', 'process', 'ops'],
  ],
  'packages/contracts': ['rest', 'events', 'dialects', 'grpc', 'api', 'openapi'],
  'packages/sdk': [
    'generated',
    'responses',
    'annotations',
    'http',
    'uploads',
    'requests',
    'downloads',
    'client',
  ],
  'packages/formats': [
    'json',
    'report',
    'text',
    'archive',
    'xml',
    'image',
    'model',
    'tracks',
    'importing',
    'exporting',
    'masks',
    'formats',
  ],
  'packages/cli': [
    'files',
    'failures',
    'terminal',
    'session',
    'transfers',
    'resources',
    'convert',
    'migrate',
    'doctor',
    'commands',
  ],
  'apps/jobs-svc': [
    'db',
    'programs',
    'work',
    'storage',
    'requests',
    'media',
    'video',
    'operations',
    'exports',
    'imports',
    'uploads',
    'backups',
    'worker',
  ],
  'apps/projects-svc': [
    ...['db', 'bodies', 'access', 'identity', 'organizations', 'storages', 'labels', 'jobs'],
    ...['tasks', 'projects', 'ground-truth', 'media', 'review', 'guides', 'workspaces'],
    ...['drafts', 'backups'],
  ],
  'apps/webhooks-svc': [
    ...['db', 'copies', 'event-log', 'payloads', 'webhooks', 'deliveries', 'messages'],
  ],
  'apps/console': [
    ...['style', 'ui', 'api', 'records', 'shell', 'account', 'people', 'server', 'webhooks'],
    ...['requests', 'labels', 'panels', 'jobs', 'tasks', 'projects', 'viewer'],
  ],
  'apps/gateway': [
    'call',
    'dialects',
    'config.ts',
    'ports.ts',
    'bodies',
    'responses',
    'plugins',
    'repeats',
    'operations',
    'reference',
    'tus',
    'routes',
  ],
  'apps/standalone': [
    'config.ts',
    'free-port.ts',
    'data-dir',
    'postgres',
    'services.ts',
    'conversion',
    'ops',
  ],
  'apps/annotations-svc': [
    'db',
    'config.ts',
    'deps.ts',
    'validation',
    'targets',
    'queries',
    'layout',
    'reading',
    'history',
    'bodies',
    'limits.ts',
    'writing',
    'upkeep',
    'statistics',
    'annotations',
    'events',
  ],
}

/** Folders of projects-svc that are imported only through their index file. */
export const sealed = ['identity', 'organizations']

/** Files that contain SQL although neither their name nor their folder shows it. Lists may only become shorter. */
export const otherFilesWithSql: Record<string, string[]> = {
  'apps/jobs-svc': ['requests/metrics.ts'],
  'apps/webhooks-svc': ['deliveries/metrics.ts'],
  'apps/standalone': ['ops/restore.ts', 'start.ts'],
}
