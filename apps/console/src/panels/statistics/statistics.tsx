import type { AnnotationStatistics } from '@reticle/sdk'
import { Link, useParams } from 'wouter'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { curlOf, Empty, Failure, Loading } from '../../ui/feedback.tsx'
import { Page } from '../../ui/page.tsx'
import { Facts, personName, Time } from '../../ui/values.tsx'
import { type Bar, barsOfLabels } from './parts.ts'
import { Plot } from './plot.tsx'

interface Props {
  of: keyof typeof operations
  id: number
}

const operations = {
  project: 'getProjectAnnotationStatistics',
  task: 'getTaskAnnotationStatistics',
  job: 'getJobAnnotationStatistics',
} as const

export function Statistics({ of, id }: Props) {
  const { data, error, refetch } = useAnswer(api[operations[of]], { id, authors: true })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const { tags, shapes, tracks } = data.objects
  if (tags + shapes + tracks + (data.authors?.length ?? 0) === 0)
    return (
      <Empty
        reticle={
          of === 'project'
            ? undefined
            : `reticle import ${of} ${id} instances.json --format "COCO 1.0"`
        }
        curl={curlOf(`/${of}s/${id}/annotations/statistics`)}
      >
        There are no annotations to count yet. Import them, or draw them with an annotation tool.
      </Empty>
    )
  return <Plots statistics={data} />
}

function Plots({ statistics }: { statistics: AnnotationStatistics }) {
  const { frames, objects, labels = [], sources, authors = [], authors_since } = statistics
  return (
    <>
      <Facts
        facts={{
          Shapes: objects.shapes.toLocaleString(),
          Tracks: `${objects.tracks.toLocaleString()} with ${objects.track_keyframes.toLocaleString()} keyframes`,
          Tags: objects.tags.toLocaleString(),
          Changed: <Time value={statistics.updated_date} />,
        }}
      />
      <Plot title="Frames" of="Frames" bars={barsOfFrames(frames)} />
      <Plot title="Objects by label and kind" of="Label" bars={barsOfLabels(labels)} />
      <Plot title="Objects by source" of="Source" bars={barsOfSources(sources)} />
      {authors.length > 0 && (
        <Plot title="Changes by user" of="User" bars={barsOfAuthors(authors)} />
      )}
      {authors_since && (
        <p className="hint">
          Changes by user are counted since <Time value={authors_since} />.
        </p>
      )}
    </>
  )
}

const barsOfFrames = ({ total, annotated, deleted }: AnnotationStatistics['frames']): Bar[] => [
  {
    key: 'all',
    name: `${total.toLocaleString()} in all`,
    parts: [
      { name: 'annotated', count: annotated },
      { name: 'without annotations', count: total - annotated - deleted },
      { name: 'deleted', count: deleted },
    ],
  },
]

const barsOfSources = (sources: AnnotationStatistics['sources']): Bar[] =>
  Object.entries(sources).map(([name, count]) => ({
    key: name,
    name,
    parts: [{ name: 'objects', count }],
  }))

const barsOfAuthors = (authors: NonNullable<AnnotationStatistics['authors']>): Bar[] =>
  authors.map(({ user, created, updated, deleted }) => ({
    key: user?.id ?? 'nobody',
    name: user ? personName(user) : 'Unknown or deleted user',
    parts: [
      { name: 'created', count: created },
      { name: 'updated', count: updated },
      { name: 'deleted', count: deleted },
    ],
  }))

/** Renders the page with the statistics of all tasks of a project. */
export function ProjectStatistics() {
  const id = Number(useParams<{ id: string }>().id)
  const { data: project } = useAnswer(api.getProject, { id })
  return (
    <Page
      title="Statistics"
      above={<Link href={`/projects/${id}`}>{project?.name ?? `Project ${id}`}</Link>}
    >
      <Statistics of="project" id={id} />
    </Page>
  )
}
