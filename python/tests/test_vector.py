"""Many games at once."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import stier

LANES = 5


class Lane:
    """One lane, played with single states as the documentation says."""

    def __init__(self, game: stier.Game, seed: int) -> None:
        self.game, self.root, self.episode = game, seed, 0
        self.deal()

    def deal(self) -> None:
        self.seed = self.root if self.episode == 0 else stier.derive_seed(self.root, "episode", self.episode)
        self.state = self.game.new_initial_state(seed=self.seed)
        self.viewer = 0

    def shown(self) -> tuple[int, list[float], list[bool]]:
        player = self.state.current_player()
        if player != stier.TERMINAL:
            self.viewer = player
        mask = self.state.legal_actions_mask()
        everything = [True] * len(mask)
        tensor = self.state.observation_tensor(self.viewer)
        return player, tensor.tolist(), mask.tolist() if player != stier.TERMINAL else everything


def check(batch: stier.Batch, lanes: list[Lane]) -> None:
    for index, lane in enumerate(lanes):
        player, tensor, mask = lane.shown()
        assert batch.current_player[index] == player
        assert batch.observation[index].tolist() == tensor
        assert batch.legal_action_mask[index].tolist() == mask


def test_lanes_are_single_states(game: stier.Game) -> None:
    envs = stier.VectorEnv(game, num_envs=LANES, seed=3, threads=1, autoreset=True)
    lanes = [Lane(game, stier.derive_seed(3, "lane", index)) for index in range(LANES)]
    batch, ended = envs.reset(), 0
    for _ in range(3 * min(game.max_game_length(), 100)):
        check(batch, lanes)
        assert envs.seeds.tolist() == [lane.seed for lane in lanes]
        assert [envs.state(index) for index in range(LANES)] == [lane.state for lane in lanes]
        actions = envs.sample_actions()
        batch = envs.step(actions)
        for index, lane in enumerate(lanes):
            lane.state.apply_action(actions[index])
            over = lane.state.is_terminal()
            assert batch.rewards[index].tolist() == lane.state.returns().astype(np.float32).tolist()
            assert batch.terminated[index] == over
            if over:
                ended += 1
                assert batch.final_observation[index].tolist() == lane.shown()[1]
                lane.episode += 1
                lane.deal()
    assert ended >= LANES


def test_the_arrays_have_the_promised_kinds(game: stier.Game) -> None:
    envs = stier.VectorEnv(game, 3)
    batch = envs.step(envs.sample_actions())
    width, actions = game.observation_tensor_shape()[0], game.num_distinct_actions()
    assert (len(envs), envs.num_envs, envs.observation_shape) == (3, 3, (width,))
    for array, kind, shape in [
        (batch.observation, np.float32, (3, width)),
        (batch.final_observation, np.float32, (3, width)),
        (batch.action_mask, np.int8, (3, actions)),
        (batch.legal_action_mask, np.bool_, (3, actions)),
        (batch.rewards, np.float32, (3, game.num_players())),
        (batch.terminated, np.bool_, (3,)),
        (batch.current_player, np.int32, (3,)),
        (envs.seeds, np.uint64, (3,)),
        (envs.sample_actions(), np.int64, (3,)),
    ]:
        assert (array.dtype, array.shape) == (kind, shape)
        assert array.flags.c_contiguous
    assert np.shares_memory(batch.action_mask, batch.legal_action_mask)


def test_bytes_are_the_same_planes(game: stier.Game) -> None:
    wide = stier.VectorEnv(game, LANES, seed=4)
    narrow = stier.VectorEnv(game, LANES, seed=4, observation="uint8")
    blind = stier.VectorEnv(game, LANES, seed=4, observation=None)
    for _ in range(40):
        actions = wide.sample_actions()
        left, right, nothing = wide.step(actions), narrow.step(actions), blind.step(actions)
        assert right.observation.dtype == np.uint8
        np.testing.assert_array_equal(left.observation, right.observation)
        np.testing.assert_array_equal(left.action_mask, nothing.action_mask)
        assert nothing.observation is None


def test_information_states_are_an_option(game: stier.Game) -> None:
    envs = stier.VectorEnv(game, 2, tensor="information_state")
    for _ in range(30):
        batch = envs.step(envs.sample_actions())
        for lane in range(2):
            state = envs.state(lane)
            if not state.is_terminal():
                assert batch.observation[lane].tolist() == state.information_state_tensor().tolist()
    with pytest.raises(ValueError, match="need floats"):
        stier.VectorEnv(game, 2, tensor="information_state", observation="uint8")


@pytest.mark.parametrize("threads", [1, 2, 0])
def test_threads_change_nothing(schwinget: stier.Game, threads: int) -> None:
    one, other = (stier.VectorEnv(schwinget, 1030, seed=6, threads=count) for count in [1, threads])
    for _ in range(30):
        actions = one.sample_actions()
        np.testing.assert_array_equal(actions, other.sample_actions())
        left, right = one.step(actions), other.step(actions)
        for name in ["observation", "action_mask", "rewards", "terminated", "current_player"]:
            np.testing.assert_array_equal(getattr(left, name), getattr(right, name))


def play_until_over(envs: stier.VectorEnv) -> stier.Batch:
    while True:
        batch = envs.step(envs.sample_actions())
        if batch.terminated.any():
            return batch


def test_autoreset_in_the_next_step(schwinget: stier.Game) -> None:
    envs = stier.VectorEnv(schwinget, 1, seed=2, autoreset="next_step")
    assert (envs.autoreset, envs.observe().final_observation) == ("next_step", None)
    root = int(envs.seeds[0])
    batch = play_until_over(envs)
    assert batch.current_player[0] == stier.TERMINAL
    assert batch.legal_action_mask.all()
    assert batch.rewards.any()
    assert envs.state(0).is_terminal()
    batch = envs.step([-1])
    assert not batch.terminated[0]
    assert not batch.rewards.any()
    assert envs.state(0) == schwinget.new_initial_state(seed=stier.derive_seed(root, "episode", 1))


@pytest.mark.parametrize("autoreset", [False, "disabled"])
def test_without_autoreset_nothing_happens_any_more(schwinget: stier.Game, autoreset: Any) -> None:
    envs = stier.VectorEnv(schwinget, 1, seed=2, autoreset=autoreset)
    play_until_over(envs)
    state = envs.state(0)
    batch = envs.step([12345])
    assert envs.state(0) == state
    assert batch.terminated[0]
    assert not batch.rewards.any()
    assert not envs.reset().terminated[0]
    assert not envs.state(0).is_terminal()


def test_resets_take_seeds_and_masks(schwinget: stier.Game) -> None:
    envs = stier.VectorEnv(schwinget, 3, seed=8)
    first = envs.seeds.tolist()
    envs.reset()
    assert envs.seeds.tolist() == first == [stier.derive_seed(8, "lane", lane) for lane in range(3)]
    envs.reset()
    following = [stier.derive_seed(seed, "episode", 1) for seed in first]
    assert envs.seeds.tolist() == following
    for seeds in [[5, 6, 2**64 - 1], np.array([5, 6, 2**64 - 1], dtype=np.uint64)]:
        envs.reset(seed=seeds)
        assert envs.seeds.tolist() == [5, 6, 2**64 - 1]
    assert envs.state(1) == schwinget.new_initial_state(seed=6)
    envs.step(envs.sample_actions())
    kept = envs.state(0)
    batch = envs.reset(seed=np.int64(8), mask=np.array([False, True, False]))
    assert envs.seeds.tolist() == [5, first[1], 2**64 - 1]
    assert envs.state(0) == kept
    assert batch.observation[0].tolist() == kept.observation_tensor().tolist()
    for seed in [-1, 2**64, [1, 2], [1, 2, -3]]:
        with pytest.raises(ValueError, match="seed"):
            envs.reset(seed=seed)
    with pytest.raises(ValueError, match="reset mask must have 3 values, got 2"):
        envs.reset(mask=[True, False])
    with pytest.raises(TypeError, match="mask must be bool"):
        envs.reset(mask=[1, 0, 1])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        envs.reset(seed=1.5)  # type: ignore[arg-type]


def test_illegal_actions_are_named_and_move_nothing(schwinget: stier.Game) -> None:
    envs = stier.VectorEnv(schwinget, 4, seed=1)
    actions = envs.sample_actions()
    before = [envs.state(lane) for lane in range(4)]
    illegal = int(np.flatnonzero(~envs.observe().legal_action_mask[2])[0])
    for wrong in [illegal, -1, 29, 10**6]:
        tried = actions.copy()
        tried[2] = wrong
        with pytest.raises(stier.IllegalActionError, match=rf"environment 2: illegal action .*{wrong}.*legal here"):
            envs.step(tried)
        assert [envs.state(lane) for lane in range(4)] == before
    for kind in [np.int32, np.uint8, np.uint64, np.int16]:
        other = stier.VectorEnv(schwinget, 4, seed=1)
        other.step(actions.astype(kind))
        assert other.state(3) == before[3].child(actions[3])
    envs.step(actions.tolist())
    assert envs.state(3) == before[3].child(actions[3])


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([0, 1, 2], ValueError, "actions must have 4 values, got 3"),
        ([], ValueError, "actions must have 4 values, got 0"),
        ([[0, 1, 2, 3]], ValueError, "one for each environment"),
        ([0.0, 1.0, 2.0, 3.0], TypeError, "actions must be whole numbers"),
        ([True, False, True, True], TypeError, "actions must be whole numbers"),
        ("0123", ValueError, "one for each environment"),
        (None, ValueError, "one for each environment"),
    ],
)
def test_actions_of_the_wrong_kind(schwinget: stier.Game, actions: Any, error: type[Exception], message: str) -> None:
    envs = stier.VectorEnv(schwinget, 4)
    with pytest.raises(error, match=message):
        envs.step(actions)


@pytest.mark.parametrize("kind", [np.int8, np.bool_, np.uint8])
@pytest.mark.parametrize("cells", [np.float32, np.uint8])
def test_steps_into_own_arrays(game: stier.Game, kind: Any, cells: Any) -> None:
    one, other = (stier.VectorEnv(game, LANES, seed=5) for _ in range(2))
    arrays: dict[str, Any] = {
        "observation": np.full((LANES, *one.observation_shape), 9, cells),
        "action_mask": np.ones((LANES, game.num_distinct_actions()), kind),
        "rewards": np.full((LANES, game.num_players()), np.nan, np.float32),
        "terminated": np.ones(LANES, np.bool_),
        "current_player": np.full(LANES, -9, np.int32),
    }
    batch = one.reset(seed=4)
    other.reset_into(4, **arrays)
    for _ in range(30):
        for name, array in arrays.items():
            np.testing.assert_array_equal(array, getattr(batch, name))
        actions = one.sample_actions()
        batch = one.step(actions)
        assert other.step_into(actions, **arrays) is None  # type: ignore[func-returns-value]
    other.step_into(other.observe().action_mask.argmax(1))


def test_arrays_that_do_not_fit_are_refused(schwinget: stier.Game) -> None:
    envs = stier.VectorEnv(schwinget, 4, seed=5)
    actions, before = envs.sample_actions(), envs.get_state()
    width = envs.observation_shape[0]
    frozen = np.zeros(4, np.bool_)
    frozen.flags.writeable = False
    bad: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"observation": np.zeros((4, width + 1), np.float32)}, ValueError, rf"observation must be .*\(4, {width}\)"),
        ({"observation": np.zeros((4, width))}, ValueError, "float32 or uint8 array .* got float64"),
        ({"observation": np.zeros((width, 4), np.float32).T}, ValueError, "observation must be C-contiguous"),
        ({"final_observation": np.zeros((3, width), np.uint8)}, ValueError, "final_observation must be"),
        ({"action_mask": np.zeros((4, 29))}, ValueError, "action_mask must be .* int8, bool or uint8 .* got float64"),
        ({"action_mask": np.zeros((4, 58), np.int8)[:, ::2]}, ValueError, "action_mask must be C-contiguous"),
        ({"rewards": np.zeros((4, 3), np.float32)}, ValueError, r"rewards must be .* \(4, 2\)"),
        ({"rewards": [[0.0, 0.0]] * 4}, TypeError, "rewards must be .* got list"),
        ({"terminated": np.zeros(4, np.int32)}, ValueError, "terminated must be .* bool array .* got int32"),
        ({"terminated": frozen}, ValueError, "terminated must be C-contiguous, writable"),
        ({"current_player": np.zeros(4, np.int64)}, ValueError, "current_player must be .* int32"),
    ]
    for arrays, error, message in bad:
        with pytest.raises(error, match=message):
            envs.step_into(actions, **arrays)
    both = np.zeros((4, width), np.float32)
    with pytest.raises(ValueError, match="apart from the other arrays"):
        envs.step_into(actions, observation=both, final_observation=both)
    assert envs.get_state() == before


def test_batches_are_the_callers_unless_they_take_turns(schwinget: stier.Game) -> None:
    envs = stier.VectorEnv(schwinget, 2, seed=5)
    batch = envs.reset()
    seen = batch.observation.copy()
    for _ in range(4):
        envs.step(envs.sample_actions())
    np.testing.assert_array_equal(batch.observation, seen)
    # Of batches that are gone, what is still held stays as it is: arrays, and views of them.
    kept = [getattr(envs.step(envs.sample_actions()), name) for name in ["observation", "action_mask", "rewards"] * 3]
    rows = [envs.step(envs.sample_actions()).legal_action_mask[1] for _ in range(5)]
    copies = [array.copy() for array in kept + rows]
    addresses = {envs.step(envs.sample_actions()).observation.ctypes.data for _ in range(20)}
    for array, held in zip(kept + rows, copies, strict=True):
        np.testing.assert_array_equal(array, held)
    # An array that nobody holds is written again.
    assert len(addresses) <= 3
    envs = stier.VectorEnv(schwinget, 2, seed=5, copy=False)
    batches = [envs.reset()]
    for _ in range(3):
        with pytest.raises(stier.IllegalActionError):
            envs.step([99, 99])
        batches.append(envs.step(envs.sample_actions()))
    assert np.shares_memory(batches[0].observation, batches[2].observation)
    assert np.shares_memory(batches[1].action_mask, batches[3].action_mask)
    assert not np.shares_memory(batches[2].observation, batches[3].observation)


def test_opponents_play_the_other_seats() -> None:
    game = stier.load_game("up_and_down", players=3)
    agents = [stier.load_agent("greedy:seed=4", game), "ismcts:iterations=20"]
    envs = stier.VectorEnv(game, 2, seed=1, opponents=agents, seat="rotate", autoreset=False)
    batch = envs.reset()
    states = [game.new_initial_state(seed=int(seed)) for seed in envs.seeds]

    def opponents_play(state: stier.State, learner: int, seed: int) -> None:
        while not state.is_terminal() and state.current_player() != learner:
            spec = str(agents[(state.current_player() - learner - 1) % 3])
            own = (4 << 32) if "greedy" in spec else 0
            agent = stier.load_agent(spec, game)
            agent.restart(stier.derive_seed(seed ^ own, "opponent", state.move_number()))
            state.apply_action(agent.step(state))

    while not batch.terminated.all():
        for lane, (state, seed) in enumerate(zip(states, envs.seeds.tolist(), strict=True)):
            opponents_play(state, lane, seed)
            assert envs.state(lane) == state
        assert batch.current_player.tolist() == [0, 1]
        actions = envs.sample_actions()
        batch = envs.step(actions)
        for state, action in zip(states, actions, strict=True):
            if not state.is_terminal():
                state.apply_action(action)
    assert [envs.state(lane).returns().tolist() for lane in range(2)] != [[0.0] * 3] * 2


def test_the_learner_sits_where_it_is_told(schwinget: stier.Game) -> None:
    envs = stier.VectorEnv(schwinget, 200, opponents="random", seat=1)
    assert set(envs.reset().current_player.tolist()) == {1}
    assert set(stier.VectorEnv(schwinget, 20, opponents="random").reset().current_player.tolist()) == {0}
    drawn = stier.VectorEnv(schwinget, 200, opponents="random", seat="random").reset().current_player
    assert 70 < drawn.sum() < 130
    for options, error, message in [
        ({"opponents": ["random", "random"]}, stier.AgentError, "the number of opponents must be 1"),
        ({"opponents": "nobody"}, stier.AgentError, "unknown agent 'nobody'"),
        ({"opponents": stier.load_agent("random", stier.load_game("schwimmen"))}, stier.AgentError, "was made for"),
        ({"opponents": [len]}, stier.AgentError, "len is not an agent of the engine"),
        ({"opponents": {"random"}}, TypeError, "an agent must be an Agent or its text .*, got set"),
        ({"opponents": [["random"]]}, TypeError, "got list"),
        ({"opponents": 3}, TypeError, "an agent must be an Agent or its text"),
        ({"opponents": "random", "seat": 2}, stier.errors.SeatError, "schwinget has no seat 2; seats: 0 to 1"),
        ({"opponents": "random", "seat": "left"}, ValueError, "'rotate' or 'random', got 'left'"),
        ({"seat": 1}, ValueError, "there are none"),
        ({"autoreset": "never"}, ValueError, "same_step | next_step | disabled, got 'never'"),
        ({"autoreset": 3}, TypeError, "autoreset must be True, False or one of"),
        ({"observation": "float64"}, ValueError, "unless it is None, must be float32 or uint8, got 'float64'"),
        ({"beliefs": "nobody"}, stier.AgentError, "unknown agent 'nobody'"),
        ({"beliefs": "lbr", "observation": "uint8"}, ValueError, "beliefs follow observations as floats"),
        ({"beliefs": "lbr", "tensor": "information_state"}, ValueError, "beliefs follow observations as floats"),
        ({"tensor": "hands"}, ValueError, "tensor must be observation or information_state, got 'hands'"),
        ({"num_envs": 0}, ValueError, "num_envs must be between 1 and "),
        ({"threads": -1}, ValueError, "threads must be between 0 and "),
    ]:
        arguments: dict[str, Any] = {"num_envs": 2, **options}
        with pytest.raises(error, match=message):
            stier.VectorEnv(schwinget, **arguments)


def test_opponents_are_replaced(schwinget: stier.Game) -> None:
    envs = stier.VectorEnv(schwinget, 20, opponents="greedy", seat="rotate")
    for _ in range(5):
        envs.step(envs.sample_actions())
    before = [str(envs.state(lane)) for lane in range(20)]
    envs.set_opponents(stier.load_agent("random:seed=3", schwinget))
    assert before == [str(envs.state(lane)) for lane in range(20)]
    other = stier.VectorEnv(schwinget, 20, opponents=["random:seed=3"], seat="rotate")
    other.set_state(envs.get_state())
    again = pickle.loads(pickle.dumps(envs))
    assert repr(envs) == repr(other) == repr(again)
    for _ in range(20):
        actions = envs.sample_actions()
        observation = envs.step(actions).observation
        np.testing.assert_array_equal(observation, other.step(actions).observation)
        np.testing.assert_array_equal(observation, again.step(actions).observation)
    with pytest.raises(stier.AgentError, match="the number of opponents must be 1"):
        envs.set_opponents(["random", "random"])
    with pytest.raises(ValueError, match="made without opponents"):
        stier.VectorEnv(schwinget, 2).set_opponents("random")


def test_an_agent_begins_games(schwinget: stier.Game) -> None:
    opening: dict[str, Any] = {"opening": "rule:when=never", "opening_share": 0.5, "opening_decisions": 4}
    envs = stier.VectorEnv(schwinget, 400, seed=3, **opening)
    begun = [envs.state(lane) != schwinget.new_initial_state(seed=int(seed)) for lane, seed in enumerate(envs.seeds)]
    assert 150 < sum(begun) < 250
    again = pickle.loads(pickle.dumps(envs))
    for _ in range(30):
        actions = envs.sample_actions()
        np.testing.assert_array_equal(envs.step(actions).observation, again.step(actions).observation)
    for options, error, message in [
        ({"opening": "nobody"}, stier.AgentError, "unknown agent 'nobody'"),
        ({"opening_share": 1.5}, ValueError, "between 0 and 1, got 1.5"),
        ({"opening_decisions": 0}, ValueError, "opening_decisions must be between 1 and"),
        ({"opening": 3}, TypeError, "an agent must be an Agent or its text"),
        ({"opening": None}, ValueError, "opening_share and opening_decisions need opening, and it is None"),
    ]:
        arguments: dict[str, Any] = {**opening, **options}
        with pytest.raises(error, match=message):
            stier.VectorEnv(schwinget, 2, **arguments)


def test_an_action_is_barred_at_the_beginning(schwinget: stier.Game) -> None:
    attack = schwinget.string_to_action("attack")
    barred: dict[str, Any] = {"barred": attack, "barred_share": 0.5, "barred_decisions": 4}
    envs = stier.VectorEnv(schwinget, 400, seed=3, **barred)
    masks, plain = (one.reset().legal_action_mask for one in (envs, stier.VectorEnv(schwinget, 400, seed=3)))
    assert plain[:, attack].all()
    assert 150 < masks[:, attack].sum() < 250
    assert (np.delete(masks, attack, 1) == np.delete(plain, attack, 1)).all()
    again = pickle.loads(pickle.dumps(envs))
    for _ in range(30):
        actions = envs.sample_actions()
        np.testing.assert_array_equal(envs.step(actions).observation, again.step(actions).observation)
    assert (stier.VectorEnv(schwinget, 3).barred_left() == 0).all()
    every = stier.VectorEnv(schwinget, 2, **barred | {"barred": "attack", "barred_share": 1.0})
    assert repr(every) == repr(stier.VectorEnv(schwinget, 2, **barred | {"barred_share": 1.0}))
    left = every.barred_left()
    assert left.dtype == np.uint32
    assert ((left >= 1) & (left <= 4)).all()
    every.step(every.sample_actions())
    assert (every.barred_left() == left - 1).all()
    every = stier.VectorEnv(schwinget, 2, **barred | {"barred_share": 1.0})
    with pytest.raises(stier.IllegalActionError, match="is barred at the beginning of this game; legal here"):
        every.step([attack, attack])
    for options, error, message in [
        ({"barred": 29}, stier.IllegalActionError, "no action 29: schwinget has actions 0 to 28"),
        ({"barred": "fold"}, stier.IllegalActionError, "barred: 'fold' is not a valid action of schwinget"),
        ({"barred": True}, ValueError, "barred must be the name or the number of an action, got True"),
        ({"barred": 1.5}, ValueError, "barred must be the name or the number of an action, got 1.5"),
        ({"barred_share": 1.5}, ValueError, "between 0 and 1, got 1.5"),
        ({"barred_decisions": 0}, ValueError, "barred_decisions must be between 1 and"),
        ({"barred": None}, ValueError, "barred_share and barred_decisions need barred, and it is None"),
    ]:
        with pytest.raises(error, match=message):
            stier.VectorEnv(schwinget, 2, **{**barred, **options})


def test_beliefs_follow_the_observation(game: stier.Game) -> None:
    """They are those of the agent in the same position, and change nothing else."""
    options: dict[str, Any] = {"opponents": "random", "seat": "rotate", "autoreset": False, "seed": 4}
    believer = "ismcts:beliefs=policy,model=greedy,particles=64"
    if not game.card_faces():
        with pytest.raises(ValueError, match="has no cards, so there are no beliefs about them"):
            stier.VectorEnv(game, 5, beliefs=believer, **options)
        return
    width, players = game.observation_tensor_shape()[0], game.num_players()
    plain = stier.VectorEnv(game, 5, **options)
    envs = stier.VectorEnv(game, 5, beliefs=believer, threads=2, **options)
    again = pickle.loads(pickle.dumps(envs))
    agent = stier.load_agent(believer, game)
    first, batch = plain.reset(), envs.reset()
    for _ in range(8):
        np.testing.assert_array_equal(batch.observation[:, :width], first.observation)
        for lane in range(5):
            own = batch.observation[lane, width:].reshape(players - 1, -1)
            if batch.terminated[lane]:
                assert not own.any()
                continue
            state = envs.state(lane)
            agent.restart(stier.derive_seed(int(envs.seeds[lane]), "beliefs", len(state.history())))
            player, found = state.current_player(), agent.beliefs(state)
            others = [(player + 1 + place) % players for place in range(players - 1)]
            np.testing.assert_array_equal(own, found.expected[:, others].T.astype(np.float32))
        actions = plain.sample_actions()
        first, batch = plain.step(actions), envs.step(actions)
        np.testing.assert_array_equal(batch.observation, again.step(actions).observation)


def test_pickles_go_on_alike(game: stier.Game) -> None:
    options: dict[str, Any] = {"opponents": "random", "seat": "random", "autoreset": "next_step", "copy": False}
    for envs in [stier.VectorEnv(game, 3, seed=9), stier.VectorEnv(game, 3, seed=9, observation="uint8", **options)]:
        for _ in range(20):
            envs.step(envs.sample_actions())
        for again in [pickle.loads(pickle.dumps(envs)), copy.deepcopy(envs)]:
            assert repr(again) == repr(envs)
            assert again.seeds.tolist() == envs.seeds.tolist()
            assert again.get_state() == envs.get_state()
        other = stier.VectorEnv(
            game,
            3,
            seed=1,
            autoreset=envs.autoreset,
            **{
                name: value
                for name, value in options.items()
                if name in ("opponents", "seat") and "against" in repr(envs)
            },
        )
        other.set_state(envs.get_state())
        for _ in range(20):
            actions = envs.sample_actions()
            np.testing.assert_array_equal(actions, other.sample_actions())
            np.testing.assert_array_equal(envs.step(actions).observation, other.step(actions).observation)
    with pytest.raises(stier.errors.RecordError, match="not a checkpoint of these environments"):
        envs.set_state(b"stier")
    untouched = stier.VectorEnv(game, 2, seed=3)
    assert pickle.loads(pickle.dumps(untouched)).reset().observation.tolist() == untouched.reset().observation.tolist()


def test_sampled_actions_are_legal_and_cover_everything(game: stier.Game) -> None:
    envs = stier.VectorEnv(game, 200, seed=5)
    batch = envs.reset(seed=[7] * 200)
    sampled = {action for _ in range(5) for action in envs.sample_actions().tolist()}
    assert sampled == set(np.flatnonzero(batch.legal_action_mask[0]).tolist())


def test_perfect_information_is_what_all_players_see_together() -> None:
    game = stier.load_game("schwinget")
    envs = stier.VectorEnv(game, 8, seed=5, observation="uint8")
    for _ in range(12):
        batch = envs.step(envs.sample_actions())
        everything = envs.perfect_information_observation()
        assert everything.shape == (8, 2, game.observation_tensor_shape()[0])
        assert (everything[:, 0] == batch.observation).all()
        for lane in range(8):
            other = 1 - batch.current_player[lane]
            assert (everything[lane, 1] == envs.state(lane).observation_tensor(int(other))).all()
