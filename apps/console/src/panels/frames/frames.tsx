import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Search } from '../../records/filters.tsx'
import { useListState } from '../../records/list-state.ts'
import { curlOf, Empty, Failure, Loading } from '../../ui/feedback.tsx'
import { FrameGrid } from './frame-grid.tsx'
import { type FrameSequence, indexOfFrame } from './frame-sequence.ts'
import { Tile, type TilePosition } from './tile.tsx'
import './frames.css'

interface Props {
  frames: FrameSequence
  /** Whether frames can be searched by file name. */
  hasSearch?: boolean
}

/** Shows frames as thumbnails; a search filters them by file name. */
export function Frames({ frames, hasSearch = false }: Props) {
  const { get } = useListState()
  const search = hasSearch ? get('search') : undefined
  if (frames.count === 0) return <NoFrames task={frames.task} />
  return (
    <>
      {hasSearch && (
        <div className="filters">
          <Search label="Search file names" />
        </div>
      )}
      {search ? (
        <MatchingFrames task={frames.task} search={search} />
      ) : (
        <AllFrames frames={frames} />
      )}
    </>
  )
}

function AllFrames({ frames }: { frames: FrameSequence }) {
  const { path, task, count, numberAt } = frames
  return (
    <FrameGrid
      name="Frames"
      count={count}
      placeOf={(number) => indexOfFrame(frames, number)}
      tile={(position) => {
        const number = numberAt(position.index)
        const src = `${path}/data?type=preview&number=${number}`
        const href = `/tasks/${task}/frames/${number}`
        return <Tile key={position.index} {...position} number={number} src={src} href={href} />
      }}
    />
  )
}

function NoFrames({ task }: { task: number }) {
  return (
    <Empty
      reticle='reticle task create "Batch 1" photos/ --label car'
      curl={curlOf(`/tasks/${task}/data`, '-F client_files=@photo.jpg')}
    >
      There are no frames yet. Upload images or a video to the task.
    </Empty>
  )
}

interface MatchingFramesProps {
  task: number
  search: string
}

const together = 100
const inputOf = ({ task: task_id, search }: MatchingFramesProps, index: number) => ({
  task_id,
  search,
  page: Math.floor(index / together) + 1,
  page_size: together,
})

/** Renders a grid of frames whose file names match a search; pages are loaded when they become visible. */
function MatchingFrames(props: MatchingFramesProps) {
  const { data, error } = useAnswer(api.listFrames, inputOf(props, 0), { keeps: true })
  if (error) return <Failure error={error} />
  if (!data) return <Loading />
  if (data.count === 0) return <Empty>No frame has a file name with “{props.search}” in it.</Empty>
  return (
    <>
      <p className="hint" role="status">
        {data.count.toLocaleString()} found
      </p>
      <FrameGrid
        name="Found frames"
        count={data.count}
        tile={(position) => <MatchingTile key={position.index} {...props} {...position} />}
      />
    </>
  )
}

function MatchingTile({ task, search, ...position }: MatchingFramesProps & TilePosition) {
  const input = inputOf({ task, search }, position.index)
  const { data } = useAnswer(api.listFrames, input, { enabled: !position.isWaiting })
  const frame = data?.results[position.index % together]
  if (!frame) return <li data-index={position.index} aria-busy="true" />
  const src = `/api/tasks/${task}/data?type=preview&number=${frame.frame}`
  const href = `/tasks/${task}/frames/${frame.frame}`
  return <Tile {...position} number={frame.frame} name={frame.name} src={src} href={href} />
}
