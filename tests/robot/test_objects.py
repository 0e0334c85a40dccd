import math

import numpy as np
import pytest

from robot.objects import ObjectPose, pack_objects, unpack_objects
from studio.errors import BadInput
from studio.wire.arrays import pack_message, unpack_message

CUBE = ObjectPose(
    colour="red",
    shape="cube",
    position=np.array([0.5, 0.1, 0.022]),
    quaternion=np.array([math.cos(0.2), 0.0, 0.0, math.sin(0.2)]),
    half_size=np.array([0.022, 0.022, 0.022]),
)


def test_things_survive_the_wire():
    (again,) = unpack_objects(unpack_message(pack_message(pack_objects([CUBE]))))

    assert again.name == "red cube"
    assert again.position.tolist() == CUBE.position.tolist()
    assert again.yaw == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"position": [0.5, 0.1]}, "observation/objects.0.position"),
        ({"position": [0.5, 0.1, math.nan]}, "observation/objects.0.position"),
        ({"position": "here"}, "observation/objects.0.position"),
        ({"quaternion": [0.0, 0.0, 0.0, 0.0]}, "observation/objects.0.quaternion"),
        ({"shape": "banana"}, "observation/objects.0.shape"),
        ({"colour": "red; cube"}, "observation/objects.0.colour"),
        ({"half_size": None}, "observation/objects.0.half_size"),
    ],
)
def test_a_field_that_is_no_such_thing_is_named(change: dict[str, object], param: str):
    with pytest.raises(BadInput) as caught:
        unpack_objects([pack_objects([CUBE])[0] | change])

    assert caught.value.param == param


@pytest.mark.parametrize("value", [7, {"a": 1}, [3], [[]], [{}] * 65])
def test_what_is_no_list_of_things_is_refused(value: object):
    with pytest.raises(BadInput):
        unpack_objects(value)
