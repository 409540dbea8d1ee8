#pragma once
// PE 0 sends a row to PE 1, and needs nothing of it.

#include "trisweep/device/make_program.hpp"

namespace trisweep::testing_support {

struct OneWay {
  OneWay() {
    using device::Action;
    sender.rows = 1;
    sender.run = {{0, 1}};
    sender.put = {{.pe = 1, .row = 1, .signal = 0}};
    sender.transfer = {{.run = {0, 1}, .put = 0}};
    sender.item = {{.action = Action::transfer, .at = 0}};
    receiver.pe = 1;
    receiver.rows = 2;
    receiver.inbound = {{.from = 0, .address = {.row = 1, .rows = 1, .signal = 0}}};
    receiver.run = {{0, 1}};
    receiver.transfer = {{.run = {0, 1}, .comes = true, .signal = 0, .row = 1}};
    receiver.source = {{.pe = 0, .row = 0, .signal = 1}};
    receiver.item = {{.action = Action::transfer, .at = 0}, {.action = Action::close, .at = 0, .after = 1}};
  }
  device::Program sender, receiver;
};

}  // namespace trisweep::testing_support
